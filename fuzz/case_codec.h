#pragma once

#include <cstddef>

#include "core/case.h"

namespace aesgate {

// The binary form of a Case that libFuzzer mutates and keeps in its corpus. Fields stand at fixed
// offsets, also those that a shape does not use, so that changing one byte changes one thing:
//
//     offset  size  field
//          0     1  mode, modulo 6
//          1     1  direction, modulo 2
//          2     1  key size, modulo 3
//          3     1  bit 0: in place; bits 1 to 4: input, output, key, IV lie at the end of their memory; bits 5 and 6:
//                   Conditions::memory; bit 7: Conditions::company is 2
//          4     4  distance of input, output, key, IV from that edge
//          8     2  length in units, little-endian, modulo max_length(mode) + 1, rounded down to what the mode takes
//         10    32  key, of which a shorter one is the front
//         42    16  IV
//         58     1  bits 0 to 5: number of chunks; bit 6: the context lies at the start of its memory; bit 7: its
//         distance 59   2 n  chunks, little-endian, made to fit the length by fit_chunks()
//     59 + 2 n      input
//
// What lies past the end of the bytes is zero, and filler() in the input. What follows the input is ignored.

/// The longest message, in units. CFB1 and CFB8 call the cipher once a unit: at the same length as the
/// other modes they would take nearly all of the time.
[[nodiscard]] constexpr std::size_t max_length(Mode mode) {
  switch (mode) {
    case Mode::cfb1: return 128;
    case Mode::cfb8: return 64;
    default: return 1024;
  }
}
inline constexpr std::uint8_t coded_company = 2;  // what Conditions::company is if it is not 0: one bit
inline constexpr std::size_t max_chunks = 63;     // six bits
inline constexpr std::size_t max_encoded_bytes = 59 + 2 * max_chunks + 1024;

/// Does encode() take this Case: a valid one within the limits above, with no
/// Monte Carlo loop and none of the conditions that take long?
[[nodiscard]] bool can_encode(const Case& c);

/// The bytes for a Case that can_encode(). `expected`, `backend` and `origin` have no place in them.
[[nodiscard]] Bytes encode(const Case& c);

/// The Case for any bytes: always a valid one, and decode(encode(c)) is c.
[[nodiscard]] Case decode(ByteView bytes);

}  // namespace aesgate
