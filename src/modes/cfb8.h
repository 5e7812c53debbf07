#pragma once

#include "abi/aesgate_backend.h"
#include "modes/serial.h"
#include "modes/windows.h"

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
    Vector state = Single::load(head.chain);
    for (std::size_t i = 0; i < length; ++i) {
      const Vector t = encrypt_one<Single>(keys, state, Single::exclusive_or(Single::from_byte(in[i]), last_and_b));
      state = Single::append_byte(Single::exclusive_or(state, first_and_a), t);
      out[i] = static_cast<std::uint8_t>(Single::to_byte(t) ^ b);
    }
    Single::store(head.chain, state);
    return AESGATE_OK;
  }
};

/// Decryption: parallel, since the register at byte i is the 16 bytes of IV and ciphertext that end before it.
template <typename Engine, unsigned Rounds>
struct Cfb8Decrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    auto* const c = static_cast<Context<Keys>*>(context);
    // A copy of the ciphertext, since in place every plaintext byte overwrites one that 16 windows need.
    constexpr std::size_t piece = 512;
    alignas(64) std::uint8_t text[16 + piece];
    while (length > 0) {
      const std::size_t count = length < piece ? length : piece;
      Single::store(text, Single::load(c->head.chain));
      __builtin_memcpy(text + 16, in, count);
      encrypt_windows<Engine>(
          c->keys, text, count, [&](std::size_t i, std::uint8_t keystream) __attribute__((always_inline)) {
            out[i] = static_cast<std::uint8_t>(text[16 + i] ^ keystream);
          });
      Single::store(c->head.chain, Single::load(text + count));
      in += count;
      out += count;
      length -= count;
    }
    return AESGATE_OK;
  }
};

}  // namespace aesgate
