#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/case.h"
#include "core/judge.h"
#include "core/plan.h"
#include "core/result.h"

namespace aesgate {

/// BoundaryMessage: a key, an IV and a long input, of which boundary Cases take a part.
enum class BoundaryMessage : std::uint8_t {
  random,  // the longest
  another_random,
  zeros,       // key, IV, input: all zero
  ones,        // all bits set: an IV that carries into nothing
  counting,    // bytes and blocks that count up, and an IV that a counter would carry through
  high_bits,   // one bit of each byte, the one that a sign extension or a doubling in GF(2^8) takes
  all_values,  // in 256 blocks, at each place of a block each value of a byte
};
inline constexpr std::size_t boundary_message_count = 7;

/// The units of input that the messages of a mode have, or that `random` has; it is longer in deep effort.
[[nodiscard]] std::size_t longest_boundary(Mode mode, BoundaryMessage message, Effort effort);

/// BoundaryCase: a Case and what the oracles say to it; an Error is theirs.
struct BoundaryCase {
  Case c;
  Result<Answer> answer;
};

/// The `length` units of a message from block `block` on, as a Case of one call, whose IV is the chaining value there.
/// In every mode a part's answer is then that part of the message's answer: the oracles are asked once in a process for
/// a message, and keep it for all parts and backends. From several threads at once.
[[nodiscard]] BoundaryCase boundary_message(const Shape& shape, BoundaryMessage message, std::size_t block,
                                            std::size_t length, Effort effort);

/// The blocks at which such a part can begin.
[[nodiscard]] std::size_t boundary_starts(Mode mode, BoundaryMessage message, std::size_t length, Effort effort);

}  // namespace aesgate
