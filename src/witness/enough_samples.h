#pragma once

#include <cstdint>
#include <string>

namespace aesgate::witness {

/// With fewer samples than this nothing is said about what was not seen: with it, less than 10 % of the time, at 95 %.
inline constexpr std::uint64_t enough_samples = 29;

/// The most that something can take of the time, with 95 % confidence, which none of `samples` saw.
[[nodiscard]] double most_unseen(std::uint64_t samples);

/// What to do about less than enough: "29 are needed: let it run 3 times as long, or where less else runs".
[[nodiscard]] std::string how_to_get_enough(std::uint64_t samples);

}  // namespace aesgate::witness
