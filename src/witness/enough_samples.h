#pragma once

#include <cstdint>

namespace aesgate::witness {

/// With fewer samples than this nothing is said about what was not seen: with it, less than 10 % of the time, at 95 %.
inline constexpr std::uint64_t enough_samples = 29;

/// The most that something can take of the time, with 95 % confidence, which none of `samples` saw.
[[nodiscard]] double most_unseen(std::uint64_t samples);

}  // namespace aesgate::witness
