#pragma once

#include "abi/aesgate_backend.h"
#include "modes/parallel.h"
#include "modes/serial.h"

namespace aesgate {

// CFB with segments of one bit, SP 800-38A section 6.3. Lengths are in bits, most significant bit of a byte first; a
// call begins with bit 7 of its first byte and leaves the bits past its end as they were.

/// The first `bits` (1 to 8) bits of `value` in `byte`.
template <typename Engine>
[[gnu::always_inline]] inline void put_bits(std::uint8_t& byte, unsigned value, std::size_t bits) {
  const unsigned mask = 0xffu << (8 - bits) & 0xffu;
  byte = static_cast<std::uint8_t>((byte & ~mask) | (value & mask));
}

/// Encryption: serial.
template <typename Engine, unsigned Rounds>
struct Cfb1Encrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;
  using Vector = typename Single::Vector;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    if (length == 0) return AESGATE_OK;
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    // As in CFB8: append_bit(a, b) is the first round key, so that the register is never without it.
    const Vector first = Single::first_key(keys);
    alignas(16) std::uint8_t first_bytes[16];
    alignas(16) std::uint8_t a_bytes[16];
    Single::store(first_bytes, first);
    for (unsigned i = 0; i < 16; ++i)
      a_bytes[i] = static_cast<std::uint8_t>(first_bytes[i] >> 1 | (i > 0 ? first_bytes[i - 1] << 7 : 0));
    const unsigned b = static_cast<std::uint8_t>(first_bytes[15] << 7);
    const Vector first_and_a = Single::exclusive_or(first, Single::load(a_bytes));
    const Vector last_and_b =
        Single::exclusive_or(Single::last_key(keys), Single::from_byte(static_cast<std::uint8_t>(b)));
    Vector state = Single::exclusive_or(Single::load(head.chain), first);
    for (; length > 0; ++in, ++out) {
      const std::size_t bits = length < 8 ? length : 8;
      const unsigned input = *in;
      unsigned output = 0;
      for (unsigned i = 0; i < bits; ++i) {
        const Vector bit = Single::from_byte(static_cast<std::uint8_t>(input << i & 0x80));
        const Vector t = encrypt_one<Single>(keys, state, Single::exclusive_or(bit, last_and_b));
        state = Single::append_bit(Single::exclusive_or(state, first_and_a), t);
        output |= ((Single::to_byte(t) ^ b) & 0x80) >> i;
      }
      put_bits<Engine>(*out, output, bits);
      length -= bits;
    }
    Single::store(head.chain, Single::exclusive_or(state, first));
    return AESGATE_OK;
  }
};

/// Decryption: parallel, since the register at bit i is the 128 bits of IV and ciphertext that end before it.
template <typename Engine, unsigned Rounds>
struct Cfb1Decrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    auto& [head, keys] = *static_cast<Context<Keys>*>(context);
    const Keys& k = keys;
    // Ciphertext in a copy, as in CFB8; and room behind it, since a window of bits is read with the bytes after it.
    constexpr std::size_t piece = 64;
    alignas(64) std::uint8_t text[16 + piece + 16] = {};
    alignas(64) std::uint8_t keystream[piece];
    while (length > 0) {
      const std::size_t bits = length < 8 * piece ? length : 8 * piece;
      const std::size_t bytes = (bits + 7) / 8;
      Single::store(text, Single::load(head.chain));
      __builtin_memcpy(text + 16, in, bytes);
      __builtin_memset(keystream, 0, sizeof keystream);
      in_parallel<Engine>(
          8 * bytes, [&]<typename Width, unsigned N>(std::size_t at, unsigned count)
                         __attribute__((always_inline)) { step<Width, N>(k, text, keystream, at, count); });
      for (std::size_t i = 0; i < bytes; ++i) {
        const std::size_t left = bits - 8 * i;
        put_bits<Engine>(out[i], text[16 + i] ^ keystream[i], left < 8 ? left : 8);
      }
      shift(head.chain, text, bits);
      in += bytes;
      out += bytes;
      length -= bits;
    }
    return AESGATE_OK;
  }

 private:
  template <typename Width, unsigned N>
  [[gnu::always_inline]] static void step(const Keys& keys, const std::uint8_t* text, std::uint8_t* keystream,
                                          std::size_t at, unsigned count) {
    // Steps of whole bytes begin with bit 0 of one, and the shifts are constants.
    const unsigned first_bit = N * Width::lanes % 8 == 0 ? 0 : at % 8;
    typename Width::Vector x[N];
    begin_step<Width, N>(
        keys, x, count, [&](unsigned i) __attribute__((always_inline)) {
          const unsigned bit = first_bit + i * Width::lanes;
          return Width::load_bit_windows(text + at / 8 + bit / 8, bit % 8);
        });
    Width::encrypt(
        keys, x, [&](unsigned) __attribute__((always_inline)) { return Width::last_key(keys); });
    end_step<Width, N>(
        x, count, [&](unsigned i, auto v) __attribute__((always_inline)) {
          alignas(64) std::uint8_t block[16 * Width::lanes];
          Width::store(block, v);
          each<Width::lanes>([&](unsigned lane) __attribute__((always_inline)) {
            const unsigned bit = first_bit + i * Width::lanes + lane;
            keystream[at / 8 + bit / 8] |= static_cast<std::uint8_t>((block[16 * lane] & 0x80) >> bit % 8);
          });
        });
  }

  /// The 128 bits of `text` from bit `bits` on: what the register is after that many.
  static void shift(std::uint8_t* chain, const std::uint8_t* text, std::size_t bits) {
    text += bits / 8;
    for (std::size_t i = 0; i < 16; ++i)
      chain[i] = static_cast<std::uint8_t>((text[i] << 8 | text[i + 1]) << bits % 8 >> 8);
  }
};

}  // namespace aesgate
