#pragma once

#include <cstdint>

#include "backends/software/rows.h"

// The key expansion of FIPS-197 for engines whose time must not depend on the key: all of it but SubWord(). No lookup;
// the branches depend on the key's size alone.

namespace aesgate {

/// Expansion: the round keys in order of use, as words with the first row in the lowest byte.
template <typename Engine, unsigned Rounds>
struct Expansion {
  using Word = std::uint32_t;
  static constexpr unsigned key_words = Rounds - 6;  // Nk

  Word w[4 * (Rounds + 1)];

  ~Expansion() {
    __builtin_memset(w, 0, sizeof w);
    asm volatile("" : : "r"(w) : "memory");
  }

  /// For the cipher, FIPS-197 section 5.2. Engine::substitute() is SubWord().
  void expand(const std::uint8_t* key) {
    for (unsigned i = 0; i < key_words; ++i) w[i] = load_word(key + 4 * i);
    Word rcon = 1;
    for (unsigned i = key_words; i < 4 * (Rounds + 1); ++i) {
      Word temp = w[i - 1];
      if (i % key_words == 0) {
        temp = Engine::substitute(temp >> 8 | temp << 24) ^ rcon;
        rcon = twice(rcon);
      } else if (key_words > 6 && i % key_words == 4) {
        temp = Engine::substitute(temp);
      }
      w[i] = w[i - key_words] ^ temp;
    }
  }

  /// For the equivalent inverse cipher, FIPS-197 section 5.3.5: last round key first, those in between through
  /// InvMixColumns.
  void expand_inverse(const std::uint8_t* key) {
    expand(key);
    for (unsigned i = 0; i < 4 * (Rounds / 2); ++i) {
      Word& other = w[4 * (Rounds - i / 4) + i % 4];
      const Word first = w[i];
      w[i] = other;
      other = first;
    }
    for (unsigned i = 4; i < 4 * Rounds; ++i) w[i] = inverse_mix(w[i]);
  }

  /// Round key `round`, with `added` in every byte, as it lies after `shifts` ShiftRows (rows.h).
  void store(std::uint8_t* p, unsigned round, std::uint8_t added, unsigned shifts = 0) const {
    for (unsigned i = 0; i < 16; ++i)
      p[shifted_place(i, shifts)] = static_cast<std::uint8_t>(w[4 * round + i / 4] >> i % 4 * 8 ^ added);
  }

 private:
  static Word load_word(const std::uint8_t* p) {
    return static_cast<Word>(p[0]) | static_cast<Word>(p[1]) << 8 | static_cast<Word>(p[2]) << 16 |
           static_cast<Word>(p[3]) << 24;
  }

  /// Each byte times 02.
  static Word twice(Word x) { return (x & 0x7f7f7f7f) << 1 ^ (x >> 7 & 0x01010101) * 0x1b; }

  static Word turn(Word x, unsigned rows) { return x >> 8 * rows | x << (32 - 8 * rows); }

  /// {0e 0b 0d 09} is {02 03 01 01} times {05 00 04 00}.
  static Word inverse_mix(Word x) {
    x ^= twice(twice(x ^ turn(x, 2)));
    const Word sum = x ^ turn(x, 1);
    return twice(sum) ^ turn(x, 1) ^ turn(sum, 2);
  }
};

}  // namespace aesgate
