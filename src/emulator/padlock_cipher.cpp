#include "emulator/padlock_cipher.h"

#include <algorithm>

namespace aesgate::emulator {
namespace {

using Word = std::uint32_t;
using Block = std::array<Word, 4>;

/// Multiplication in GF(2^8), FIPS-197 section 4.2.
constexpr unsigned times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1, a = a << 1 ^ (a >> 7) * 0x11b)
    if ((b & 1) != 0) product ^= a;
  return product;
}

/// One direction's SubBytes, and SubBytes with MixColumns for a byte in row 0.
struct Box {
  std::array<std::uint8_t, 256> substitute{};
  std::array<Word, 256> mixed{};
};

struct Boxes {
  Box forward, inverse;
};

constexpr Boxes make_boxes() {
  Boxes boxes;
  // 03 and f6 are each other's inverses, and 03 generates all bytes but 00, whose inverse counts as 00.
  for (unsigned i = 0, a = 1, b = 1; i < 256; ++i, a = times(a, 0x03), b = times(b, 0xf6)) {
    const unsigned x = i < 255 ? a : 0;
    const unsigned y = (i < 255 ? b : 0) * 0x101;
    const auto s = static_cast<std::uint8_t>(y ^ y >> 4 ^ y >> 5 ^ y >> 6 ^ y >> 7 ^ 0x63);
    boxes.forward.substitute[x] = s;
    boxes.inverse.substitute[s] = static_cast<std::uint8_t>(x);
    boxes.forward.mixed[x] = times(s, 2) | Word{s} << 8 | Word{s} << 16 | times(s, 3) << 24;
    boxes.inverse.mixed[s] = times(x, 14) | times(x, 9) << 8 | times(x, 13) << 16 | times(x, 11) << 24;
  }
  return boxes;
}
constexpr Boxes boxes = make_boxes();
static_assert(boxes.forward.substitute[0x53] == 0xed, "FIPS-197 section 5.1.1, figure 7");

constexpr unsigned row(Word column, unsigned r) { return column >> 8 * r & 0xff; }
constexpr Word turn(Word column, unsigned rows) {
  return rows == 0 ? column : column << 8 * rows | column >> (32 - 8 * rows);
}

/// ShiftRows takes row r of column c from here.
template <bool Inverse>
constexpr unsigned from(unsigned c, unsigned r) {
  return (Inverse ? c + 4 - r : c + r) % 4;
}

template <bool Inverse>
void run(const Cipher& cipher, const RoundKeys& keys, Block& block) {
  constexpr const Box& box = Inverse ? boxes.inverse : boxes.forward;
  for (unsigned c = 0; c < 4; ++c) block[c] ^= keys[0][c];
  for (unsigned round = 1; round <= cipher.rounds; ++round) {
    const Block x = block;
    const bool last = round == cipher.rounds && !cipher.intermediate;
    for (unsigned c = 0; c < 4; ++c) {
      Word column = keys[round][c];
      for (unsigned r = 0; r < 4; ++r) {
        const unsigned byte = row(x[from<Inverse>(c, r)], r);
        column ^= last ? Word{box.substitute[byte]} << 8 * r : turn(box.mixed[byte], r);
      }
      block[c] = column;
    }
  }
}

Word substitute(Word column) {
  Word result = 0;
  for (unsigned r = 0; r < 4; ++r) result |= Word{boxes.forward.substitute[row(column, r)]} << 8 * r;
  return result;
}

Word inverse_mix(Word column) {
  Word result = 0;
  for (unsigned r = 0; r < 4; ++r) result ^= turn(boxes.inverse.mixed[boxes.forward.substitute[row(column, r)]], r);
  return result;
}

}  // namespace

void run_cipher(const Cipher& cipher, const RoundKeys& keys, Block& block) {
  cipher.inverse ? run<true>(cipher, keys, block) : run<false>(cipher, keys, block);
}

void generate_keys(RoundKeys& keys) {
  unsigned rcon = 1;
  for (std::size_t i = 1; i < keys.size(); ++i, rcon = times(rcon, 2)) {
    keys[i][0] = keys[i - 1][0] ^ substitute(turn(keys[i - 1][3], 3)) ^ rcon;
    for (unsigned c = 1; c < 4; ++c) keys[i][c] = keys[i - 1][c] ^ keys[i][c - 1];
  }
}

void invert_keys(RoundKeys& keys, unsigned rounds) {
  std::reverse(keys.begin(), keys.begin() + rounds + 1);
  for (unsigned i = 1; i < rounds; ++i)
    for (Word& column : keys[i]) column = inverse_mix(column);
}

}  // namespace aesgate::emulator
