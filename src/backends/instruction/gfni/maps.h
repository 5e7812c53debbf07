#pragma once

#include <cstdint>

// The maps of bytes that AES is made of, as GF2P8AFFINEQB and GF2P8AFFINEINVQB take them. All are constants.

namespace aesgate::gfni {

/// A linear map over GF(2): byte 7 - i holds the bits of the argument whose sum is bit i of the result.
using Map = std::uint64_t;

template <typename Function>
constexpr Map map_of(Function f) {
  Map map = 0;
  for (unsigned argument = 0; argument < 8; ++argument) {
    const std::uint8_t result = f(static_cast<std::uint8_t>(1u << argument));
    for (unsigned i = 0; i < 8; ++i) map |= static_cast<Map>(result >> i & 1) << (8 * (7 - i) + argument);
  }
  return map;
}

/// The product in the field of FIPS-197 section 4.2.
constexpr std::uint8_t times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; a != 0; a >>= 1, b = (b << 1 ^ (b >> 7) * 0x11b) & 0xff)
    if (a & 1) product ^= b;
  return static_cast<std::uint8_t>(product);
}
static_assert(times(0x57, 0x13) == 0xfe, "FIPS-197 section 4.2.1");

constexpr std::uint8_t inverse(std::uint8_t a) {  // the 254th power
  std::uint8_t power = 1;
  for (unsigned i = 0; i < 254; ++i) power = times(power, a);
  return power;
}

/// SubBytes, FIPS-197 section 5.1.1, is S(a) = affine(1 / a) + 63; and InvSubBytes(a) = 1 / undo(a + 63).
constexpr std::uint8_t turned(std::uint8_t a, unsigned n) { return static_cast<std::uint8_t>(a << n | a >> (8 - n)); }
constexpr std::uint8_t affine(std::uint8_t a) {
  return static_cast<std::uint8_t>(a ^ turned(a, 1) ^ turned(a, 2) ^ turned(a, 3) ^ turned(a, 4));
}
constexpr std::uint8_t undo(std::uint8_t a) {
  return static_cast<std::uint8_t>(turned(a, 1) ^ turned(a, 3) ^ turned(a, 6));
}
constexpr int affine_constant = 0x63;
constexpr int undo_constant = undo(affine_constant);
static_assert((affine(inverse(0x53)) ^ affine_constant) == 0xed && inverse(undo(0xed ^ affine_constant)) == 0x53);

constexpr Map identity = map_of([](std::uint8_t a) { return a; });
constexpr Map only_undo = map_of(undo);

template <unsigned factor>
constexpr Map multiply = map_of([](std::uint8_t a) { return times(factor, a); });
template <unsigned factor>
constexpr Map affine_multiply = map_of([](std::uint8_t a) { return times(factor, affine(a)); });
template <unsigned factor>
constexpr Map multiply_undo = map_of([](std::uint8_t a) { return undo(times(factor, a)); });
template <unsigned factor>
constexpr Map affine_multiply_undo = map_of([](std::uint8_t a) { return undo(times(factor, affine(a))); });

static_assert(identity == 0x0102040810204080 && affine_multiply<1> == 0xf1e3c78f1f3e7cf8,
              "Intel, Galois Field New Instructions (GFNI) Technology Guide");

/// Sixteen places of bytes, as PSHUFB takes them.
struct Places {
  alignas(16) std::uint8_t from[16];
};

/// places[rows][down] takes, for row r and column c, the byte of row r + down, `rows` ShiftRows earlier: the bytes that
/// MixColumns adds up. InvShiftRows is three ShiftRows.
struct ColumnParts {
  Places places[4][4];
};
constexpr ColumnParts column_parts = [] {
  ColumnParts parts{};
  for (unsigned rows = 0; rows < 4; ++rows)
    for (unsigned down = 0; down < 4; ++down)
      for (unsigned p = 0; p < 16; ++p) {
        const unsigned row = (p % 4 + down) % 4;
        parts.places[rows][down].from[p] = static_cast<std::uint8_t>((p / 4 + rows * row) % 4 * 4 + row);
      }
  return parts;
}();

/// Rows for columns.
constexpr Places transposed = [] {
  Places places{};
  for (unsigned p = 0; p < 16; ++p) places.from[p] = static_cast<std::uint8_t>(p % 4 * 4 + p / 4);
  return places;
}();

}  // namespace aesgate::gfni
