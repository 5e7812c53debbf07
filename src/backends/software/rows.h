#pragma once

#include <cstdint>

// ShiftRows without moving a byte (A. Adomnicai and T. Peyrin, "Fixslicing AES-like ciphers", CHES 2021): after n of
// them, the byte of row i and column j stands in column j + n * i. That of the next row in the same column then is one
// row and n columns further on, in every row alike, so that MixColumns takes the same moves as ever. The round keys lie
// the same way. What is left after the last round, where n is 10, 12 or 14, is an exchange of columns in rows 1 and 3,
// or nothing. An InvShiftRows is three ShiftRows.

namespace aesgate {

/// Where byte `p` of a block stands after n ShiftRows.
constexpr unsigned shifted_place(unsigned p, unsigned n) { return (p / 4 + n * (p % 4)) % 4 * 4 + p % 4; }

/// Sixteen places of bytes, as PSHUFB takes them.
struct Places {
  alignas(16) std::uint8_t from[16];
};

/// Moves: places[rows][columns] takes, for row r and column c, the byte of row r + rows and column c + columns, both
/// modulo 4.
struct Moves {
  Places places[3][4];
};
constexpr Moves moves = [] {
  Moves all{};
  for (unsigned rows = 0; rows < 3; ++rows)
    for (unsigned columns = 0; columns < 4; ++columns)
      for (unsigned p = 0; p < 16; ++p)
        all.places[rows][columns].from[p] = static_cast<std::uint8_t>((p / 4 + columns) % 4 * 4 + (p + rows) % 4);
  return all;
}();

/// What two ShiftRows move, which is its own inverse.
constexpr Places shift_rows_twice = [] {
  Places places{};
  for (unsigned p = 0; p < 16; ++p) places.from[p] = static_cast<std::uint8_t>(shifted_place(p, 2));
  return places;
}();

}  // namespace aesgate
