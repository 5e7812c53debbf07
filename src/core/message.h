#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/case.h"

namespace aesgate {

/// The input of step `step` of a Case with monte_carlo_steps (AESAVS section 6.4, all modes in one
/// rule): the first segment is the Case's; then come the IV's segments, in a mode that has an IV;
/// then the output of the steps before, from the first on. In ECB each step takes the output of the
/// one before it. `output` holds that of all steps so far; `segment` is as long as the Case's input.
void feed_back(const Case& c, std::size_t step, ByteView output, std::span<std::uint8_t> segment);

/// The chaining value that SP 800-38A gives after `position` units of a Case whose output is `output`,
/// derived from the IV, the input and the output alone: what a backend's chaining_value() must say.
/// Nothing where it must say "unsupported": in ECB, and in the middle of a CFB128 or OFB block.
[[nodiscard]] std::optional<Block> chaining_value_at(const Case& c, std::size_t position, ByteView output);

}  // namespace aesgate
