#pragma once

#include <cstddef>

#include "core/case.h"
#include "core/judge.h"
#include "core/result.h"

namespace aesgate {

/// ask(), of a process that asks the same again: the oracles are slow, and every backend gets the same Cases. An answer
/// is kept for those that come after, unless it is long, until there are too many. What makes a Case's answer, and that
/// alone, tells them apart: shape, key, IV, message and Monte Carlo steps. From several threads at once.
[[nodiscard]] Result<Answer> ask_once(const Case& c);

/// What is kept in a process is at most so much.
inline constexpr std::size_t most_kept = std::size_t{64} << 20;  // bytes

}  // namespace aesgate
