#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace aesgate {

// The key schedule that software makes for PadLock, in bytes as they lie in memory. Looking the S-box up takes time
// that depends on the key, as it did in every published driver.

namespace padlock_schedule {

constexpr std::uint8_t twice(std::uint8_t a) { return static_cast<std::uint8_t>(a << 1 ^ (a >> 7) * 0x1b); }

struct Sbox {
  std::uint8_t of[256];
};

/// FIPS-197 section 5.1.1. The powers of 03 are all bytes but 00, and the 255th is 01 again.
constexpr Sbox make_sbox() {
  std::uint8_t power[256]{1};
  for (unsigned i = 1; i < 256; ++i) power[i] = static_cast<std::uint8_t>(power[i - 1] ^ twice(power[i - 1]));
  Sbox sbox{{0x63}};
  for (unsigned i = 0; i < 255; ++i) {
    const unsigned b = power[255 - i] * 0x101u;
    sbox.of[power[i]] = static_cast<std::uint8_t>(b ^ b >> 4 ^ b >> 5 ^ b >> 6 ^ b >> 7 ^ 0x63);
  }
  return sbox;
}
inline constexpr Sbox sbox = make_sbox();
static_assert(sbox.of[0x53] == 0xed && sbox.of[0x01] == 0x7c, "FIPS-197 section 5.1.1, figure 7");

inline void inverse_mix_column(std::uint8_t* c) {
  // {0b}x^3 + {0d}x^2 + {09}x + {0e} is MixColumns' polynomial times {04}x^2 + {05}.
  const std::uint8_t even = twice(twice(static_cast<std::uint8_t>(c[0] ^ c[2])));
  const std::uint8_t odd = twice(twice(static_cast<std::uint8_t>(c[1] ^ c[3])));
  std::uint8_t a[4];
  for (unsigned i = 0; i < 4; ++i) a[i] = static_cast<std::uint8_t>(c[i] ^ (i % 2 == 0 ? even : odd));
  const auto sum = static_cast<std::uint8_t>(a[0] ^ a[1] ^ a[2] ^ a[3]);
  for (unsigned i = 0; i < 4; ++i)
    c[i] = static_cast<std::uint8_t>(a[i] ^ sum ^ twice(static_cast<std::uint8_t>(a[i] ^ a[(i + 1) % 4])));
}

}  // namespace padlock_schedule

/// FIPS-197 section 5.2: 16 * (Rounds + 1) bytes of round keys from 4 * (Rounds - 6) bytes of key.
template <unsigned Rounds>
void padlock_expand_key(std::uint8_t* schedule, const std::uint8_t* key) {
  using namespace padlock_schedule;
  constexpr unsigned key_words = Rounds - 6;
  std::memcpy(schedule, key, 4 * key_words);
  std::uint8_t rcon = 1;
  for (unsigned i = key_words; i < 4 * (Rounds + 1); ++i) {
    const std::uint8_t* before = schedule + 4 * (i - key_words);
    std::uint8_t* w = schedule + 4 * i;
    const std::uint8_t* last = w - 4;
    const bool rotate = i % key_words == 0;
    const bool substitute = rotate || (key_words > 6 && i % key_words == 4);
    for (unsigned r = 0; r < 4; ++r) {
      const std::uint8_t byte = last[rotate ? (r + 1) % 4 : r];
      w[r] = static_cast<std::uint8_t>(before[r] ^ (substitute ? sbox.of[byte] : byte));
    }
    if (!rotate) continue;
    w[0] = static_cast<std::uint8_t>(w[0] ^ rcon);
    rcon = twice(rcon);
  }
}

/// The schedule of the equivalent inverse cipher, FIPS-197 section 5.3.5, in its order of use: the last round key
/// first, those in between through InvMixColumns.
template <unsigned Rounds>
void padlock_invert_schedule(std::uint8_t* schedule) {
  for (unsigned i = 0; i < Rounds - i; ++i)
    for (unsigned b = 0; b < 16; ++b) std::swap(schedule[16 * i + b], schedule[16 * (Rounds - i) + b]);
  for (unsigned column = 4; column < 4 * Rounds; ++column) padlock_schedule::inverse_mix_column(schedule + 4 * column);
}

}  // namespace aesgate
