#pragma once

#include <cstddef>

#include "core/case.h"
#include "core/judge.h"
#include "core/result.h"

namespace aesgate {

/// The Monte Carlo test of AESAVS section 6.4: `outer_steps` Cases of `inner_steps` calls each, where the output of
/// one Case makes the key, the IV and the input of the next. core/message.h has the inner loop.
namespace monte_carlo {

inline constexpr std::size_t outer_steps = 100;
inline constexpr std::size_t inner_steps = 1000;

/// The first Case of a shape. Its key, IV and input are fixed, and different for every shape.
[[nodiscard]] Case first(const Shape& shape);

/// The Case after `c`, whose output is `output`: the key is XORed with the last key_bits of output, the IV is the last
/// 128 bits, and the input is the segment before those; in ECB, which has no IV, it is the last segment.
[[nodiscard]] Case next(const Case& c, ByteView output);

/// Step: the Case of one outer step on the oracles' way through the test, and their answer to it.
struct Step {
  Case c;
  Result<Answer> answer;
};

/// Step `number` of a shape, or, if the oracles disagree before that, the step at which they do. The oracles go their
/// way once in a process, as far as somebody asks; it may be called from several threads. The Step stays.
[[nodiscard]] const Step& step(const Shape& shape, std::size_t number);

}  // namespace monte_carlo
}  // namespace aesgate
