#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/shape.h"

namespace aesgate {

/// Cut: a way to cut a message into calls of update(). An edge is as in Split (report/coverage.h).
enum class Cut : std::uint8_t {
  one_call,
  near_start,  // in two, 1 to 33 units from the start
  near_end,    // in two, 1 to 33 units from the end
  not_filled,  // in three; the second call begins and ends within a block
  filled,      // in three; the second call ends the block that the first left
  overfilled,  // in three; the second call goes past the end of that block, and leaves another
  at_edges,    // in three, at edges
  equal,       // in calls of 1, 2, 3, 4, 6, 8, 16, 32 or 64 blocks, or one unit less or more
  singles,     // the first 20 units one by one
  empty,       // near_start, and calls of length 0 before, between and behind
  refused,     // near_start, and calls that must be refused before, between and behind
  pair,        // of where two calls end: boundary_cases.cpp makes these chunks, and cut() none
};

/// The ways that differ in a mode. In ECB and CBC units are blocks, and those within a block are none.
[[nodiscard]] std::vector<Cut> cuts_of(Mode mode);

/// The chunks of a message of `length` units, as Case has them; nothing if it is too short for that. `turn` is which of
/// the lengths that a way may have: each of them comes up as it goes on.
[[nodiscard]] std::optional<std::vector<std::size_t>> cut(Mode mode, std::size_t length, Cut way, std::size_t turn);

}  // namespace aesgate
