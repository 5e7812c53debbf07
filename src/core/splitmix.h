#pragma once

#include <cstdint>

namespace aesgate {

/// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): a number that looks
/// unrelated for each `seed`, the same on every platform.
[[nodiscard]] constexpr std::uint64_t splitmix(std::uint64_t seed) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace aesgate
