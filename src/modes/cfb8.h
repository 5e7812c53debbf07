#pragma once

#include "abi/aesgate_backend.h"
#include "modes/parallel.h"
#include "modes/serial.h"

namespace aesgate {

/// CFB with segments of 8 bits, SP 800-38A section 6.3; encryption: serial.
template <typename Engine, unsigned Rounds>
struct Cfb8Encrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;
  using Vector = typename Single::Vector;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if (length == 0) return AESGATE_OK;
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    // With the register r, its next value with the first round key added is append_byte(r ^ a, output ^ b), where
    // append_byte(a, b) is that key: append_byte() is linear. So nothing but itself stands between two blocks.
    const Vector first = Single::first_key(keys);
    alignas(16) std::uint8_t a_bytes[17];
    Single::store(a_bytes + 1, first);
    const std::uint8_t b = a_bytes[16];
    a_bytes[0] = 0;
    const Vector first_and_a = Single::exclusive_or(first, Single::load(a_bytes));
    const Vector last_and_b = Single::exclusive_or(Single::last_key(keys), Single::from_byte(b));
    Vector state = Single::exclusive_or(Single::load(head.chain), first);
    for (std::size_t i = 0; i < length; ++i) {
      const Vector t = encrypt_one<Single>(keys, state, Single::exclusive_or(Single::from_byte(in[i]), last_and_b));
      state = Single::append_byte(Single::exclusive_or(state, first_and_a), t);
      out[i] = static_cast<std::uint8_t>(Single::to_byte(t) ^ b);
    }
    Single::store(head.chain, Single::exclusive_or(state, first));
    return AESGATE_OK;
  }
};

/// Decryption: parallel, since the register at byte i is the 16 bytes of IV and ciphertext that end before it.
template <typename Engine, unsigned Rounds>
struct Cfb8Decrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    // A copy of the ciphertext, since in place every plaintext byte overwrites one that 16 windows need.
    constexpr std::size_t piece = 512;
    alignas(64) std::uint8_t text[16 + piece];
    while (length > 0) {
      const std::size_t count = length < piece ? length : piece;
      Single::store(text, Single::load(head.chain));
      __builtin_memcpy(text + 16, in, count);
      const Keys& k = keys;
      in_parallel<Engine>(
          count, [&]<typename Width, unsigned N>(std::size_t at, unsigned steps)
                     __attribute__((always_inline)) { step<Width, N>(k, text + at, out + at, steps); });
      Single::store(head.chain, Single::load(text + count));
      in += count;
      out += count;
      length -= count;
    }
    return AESGATE_OK;
  }

 private:
  template <typename Width, unsigned N>
  [[gnu::always_inline]] static void step(const Keys& keys, const std::uint8_t* text, std::uint8_t* out,
                                          unsigned count) {
    typename Width::Vector x[N];
    begin_step<Width, N>(keys, x, count, [&](unsigned i) { return Width::load_windows(text + i * Width::lanes); });
    Width::encrypt(
        keys, x, [&](unsigned) __attribute__((always_inline)) { return Width::last_key(keys); });
    end_step<Width, N>(
        x, count, [&](unsigned i, auto v) __attribute__((always_inline)) {
          alignas(64) std::uint8_t keystream[16 * Width::lanes];
          Width::store(keystream, v);
          each<Width::lanes>([&](unsigned lane) __attribute__((always_inline)) {
            const unsigned at = i * Width::lanes + lane;
            out[at] = static_cast<std::uint8_t>(text[16 + at] ^ keystream[16 * lane]);
          });
        });
  }
};

}  // namespace aesgate
