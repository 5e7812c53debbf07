#pragma once

#include "abi/aesgate_backend.h"
#include "modes/parallel.h"
#include "modes/serial.h"

namespace aesgate {

/// CBC encryption, SP 800-38A section 6.2: serial.
template <typename Engine, unsigned Rounds>
struct CbcEncrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;
  using Vector = typename Single::Vector;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if (length % 16 != 0) return AESGATE_BAD_ARGUMENT;
    if (length == 0) return AESGATE_OK;
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    const Vector first = Single::first_key(keys);
    const Vector last = Single::last_key(keys);
    Vector state = Single::exclusive_or(Single::load(head.chain), Single::load(in));
    for (; length > 16; length -= 16, in += 16, out += 16) {
      // The next state is ciphertext ^ first key ^ next plaintext.
      const Vector added = Single::exclusive_or(Single::load(in + 16), first);
      state = encrypt_one<Single>(keys, state, Single::exclusive_or(added, last));
      Single::store(out, Single::exclusive_or(state, added));
    }
    const Vector chain = encrypt_one<Single>(keys, state, Single::exclusive_or(first, last));
    Single::store(head.chain, chain);
    Single::store(out, Single::exclusive_or(chain, first));
    return AESGATE_OK;
  }
};

/// CBC decryption: parallel, with the XOR of the ciphertext before in the last round.
template <typename Engine, unsigned Rounds>
struct CbcDecrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if (length % 16 != 0) return AESGATE_BAD_ARGUMENT;
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    std::uint8_t* const chain = head.chain;
    const Keys& k = keys;
    in_parallel<Engine>(
        length / 16, [&]<typename Width, unsigned N>(std::size_t at, unsigned count)
                         __attribute__((always_inline)) { step<Width, N>(k, chain, in, out, at, count); });
    return AESGATE_OK;
  }

 private:
  template <typename Width, unsigned N>
  [[gnu::always_inline]] static void step(const Keys& keys, std::uint8_t* chain, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t at, unsigned count) {
    constexpr std::size_t vector_bytes = 16 * Width::lanes;
    in += 16 * at;
    out += 16 * at;
    typename Width::Vector x[N];
    begin_step<Width, N>(keys, x, count, [&](unsigned i) { return Width::load(in + i * vector_bytes); });
    const auto last = Width::last_key(keys);
    Width::decrypt(
        keys, x, [&](unsigned i) __attribute__((always_inline)) {
          if (i * Width::lanes >= count) return last;
          // Only this step's ciphertext is sure to be there still: the one before may be plaintext by now, in place.
          const auto before = i == 0 ? Width::load_after(chain, in) : Width::load(in + i * vector_bytes - 16);
          return Width::exclusive_or(before, last);
        });
    Single::store(chain, Single::load(in + 16 * (count - 1)));
    end_step<Width, N>(x, count, [&](unsigned i, auto v) { Width::store(out + i * vector_bytes, v); });
  }
};

}  // namespace aesgate
