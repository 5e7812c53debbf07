#pragma once

#include "abi/aesgate_backend.h"
#include "modes/serial.h"
#include "modes/windows.h"

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
    Vector state = Single::load(head.chain);
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
    Single::store(head.chain, state);
    return AESGATE_OK;
  }
};

/// Decryption: parallel, since the register at bit i is the 128 bits of IV and ciphertext that end before it. The text
/// moved left by a bit, by two, … has all these windows at whole bytes.
template <typename Engine, unsigned Rounds>
struct Cfb1Decrypt {
  using Keys = typename Engine::template Keys<Rounds>;
  using Single = typename Engine::Single;

  static int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    auto* const c = static_cast<Context<Keys>*>(context);
    // Ciphertext in a copy, as in CFB8; and room behind it, since it moves by eight bytes at a time.
    constexpr std::size_t piece = 128;
    alignas(64) std::uint8_t text[16 + piece + 16] = {};
    alignas(64) std::uint8_t moved[8][16 + piece + 8];
    alignas(64) std::uint8_t blocks[8][piece];  // the first byte of each
    while (length > 0) {
      const std::size_t bits = length < 8 * piece ? length : 8 * piece;
      const std::size_t bytes = (bits + 7) / 8;
      Single::store(text, Single::load(c->head.chain));
      __builtin_memcpy(text + 16, in, bytes);
      // All are made before the first window is loaded: a load of what two stores have just written waits for both.
      for (unsigned bit = 0; bit < 8; ++bit) move_left(moved[bit], text, 16 + bytes, bit);
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::uint8_t* const to = blocks[bit];
        encrypt_windows<Engine>(
            c->keys, moved[bit],
            bytes, [&](std::size_t i, std::uint8_t byte) __attribute__((always_inline)) { to[i] = byte; });
      }
      move_left(moved[0], text + bits / 8, 16, bits % 8);
      Single::store(c->head.chain, Single::load(moved[0]));
      add_first_bits(text + 16, blocks, bytes);
      __builtin_memcpy(out, text + 16, bits / 8);
      if (bits % 8 != 0) put_bits<Engine>(out[bits / 8], text[16 + bits / 8], bits % 8);
      in += bytes;
      out += bytes;
      length -= bits;
    }
    return AESGATE_OK;
  }

 private:
  /// `size` bytes of `from`, and up to seven more, moved left by `bits`, 0 to 7.
  static void move_left(std::uint8_t* to, const std::uint8_t* from, std::size_t size, std::size_t bits) {
    for (std::size_t i = 0; i < size; i += 8) {
      std::uint64_t word;
      __builtin_memcpy(&word, from + i, 8);
      word = big_endian(word) << bits | static_cast<std::uint64_t>(from[i + 8]) << bits >> 8;
      word = big_endian(word);
      __builtin_memcpy(to + i, &word, 8);
    }
  }

  /// Adds to every byte of `text`, and up to seven more, the first bits of the eight blocks whose windows began in it.
  template <std::size_t size>
  static void add_first_bits(std::uint8_t* text, const std::uint8_t (&blocks)[8][size], std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 8) {
      std::uint64_t sum;
      __builtin_memcpy(&sum, text + i, 8);
      each<8>([&](unsigned bit) __attribute__((always_inline)) {
        std::uint64_t word;
        __builtin_memcpy(&word, blocks[bit] + i, 8);
        sum ^= (word & 0x8080808080808080u) >> bit;
      });
      __builtin_memcpy(text + i, &sum, 8);
    }
  }

  static std::uint64_t big_endian(std::uint64_t word) {
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? word : __builtin_bswap64(word);
  }
};

}  // namespace aesgate
