#pragma once

#include "abi/aesgate_backend.h"
#include "modes/parallel.h"
#include "modes/serial.h"

namespace aesgate {

/// The bytes of one CFB128 block from head.used on, `length` at most, where head.chain holds ciphertext up to there
/// and keystream after it. Returns how many it took; a block that is done leaves its ciphertext in head.chain.
template <typename Engine, bool Decrypt>
std::size_t cfb128_part(ContextHead& head, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  const std::size_t room = 16 - head.used;
  const std::size_t count = length < room ? length : room;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t& chain = head.chain[head.used + i];
    const std::uint8_t input = in[i];
    const auto output = static_cast<std::uint8_t>(input ^ chain);
    out[i] = output;
    chain = Decrypt ? input : output;
  }
  head.used = static_cast<std::uint32_t>((head.used + count) % 16);
  if (head.used == 0) whiten_chain<Engine>(head);
  return count;
}

/// CFB with segments of 128 bits, SP 800-38A section 6.3. A call may end in the middle of a segment and the next one
/// goes on there; only a message's last segment is really a part of one.
template <typename Engine, unsigned Rounds, bool Decrypt>
struct Cfb128 {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;
  using Vector = typename Single::Vector;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    if (head.used != 0) {
      const std::size_t taken = cfb128_part<Engine, Decrypt>(head, in, out, length);
      in += taken;
      out += taken;
      length -= taken;
    }
    const std::size_t whole = length / 16 * 16;
    if (whole != 0) {
      if constexpr (Decrypt)
        decrypt(keys, head.chain, in, out, whole / 16);
      else
        encrypt(keys, head.chain, in, out, whole);
    }
    if (length != whole) {
      if constexpr (Decrypt)
        Single::store(head.chain, Single::exclusive_or(Single::load(head.chain), Single::first_key(keys)));
      encrypt_whitened<Single>(keys, head.chain);
      cfb128_part<Engine, Decrypt>(head, in + whole, out + whole, length - whole);
    }
    return AESGATE_OK;
  }

 private:
  [[gnu::always_inline]] static void encrypt(const Keys& keys, std::uint8_t* chain, const std::uint8_t* in,
                                             std::uint8_t* out, std::size_t length) {
    const Vector first = Single::first_key(keys);
    const Vector both = Single::exclusive_or(first, Single::last_key(keys));
    Vector state = Single::load(chain);
    for (; length != 0; length -= 16, in += 16, out += 16) {
      // The next state is ciphertext ^ first key.
      state = encrypt_one<Single>(keys, state, Single::exclusive_or(Single::load(in), both));
      Single::store(out, Single::exclusive_or(state, first));
    }
    Single::store(chain, state);
  }

  [[gnu::always_inline]] static void decrypt(const Keys& keys, std::uint8_t* chain, const std::uint8_t* in,
                                             std::uint8_t* out, std::size_t blocks) {
    in_parallel<Engine>(
        blocks, [&]<typename Width, unsigned N>(std::size_t at, unsigned count)
                    __attribute__((always_inline)) { step<Width, N>(keys, chain, in, out, at, count); });
  }

  template <typename Width, unsigned N>
  [[gnu::always_inline]] static void step(const Keys& keys, std::uint8_t* chain, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t at, unsigned count) {
    constexpr std::size_t vector_bytes = 16 * Width::lanes;
    in += 16 * at;
    out += 16 * at;
    typename Width::Vector x[N];
    begin_step<Width, N>(keys, x, count, [&](unsigned i) {
      return i == 0 ? Width::load_after(chain, in) : Width::load(in + i * vector_bytes - 16);
    });
    const auto last = Width::last_key(keys);
    Width::encrypt(
        keys, x, [&](unsigned i) __attribute__((always_inline)) {
          return i * Width::lanes < count ? Width::exclusive_or(Width::load(in + i * vector_bytes), last) : last;
        });
    Single::store(chain, Single::load(in + 16 * (count - 1)));
    end_step<Width, N>(x, count, [&](unsigned i, auto v) { Width::store(out + i * vector_bytes, v); });
  }
};

}  // namespace aesgate
