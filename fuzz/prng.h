#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace aesgate {

/// Prng: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). The same
/// seed gives the same numbers on every platform, which the distributions of <random> do not promise.
/// Not for keys that protect anything.
class Prng {
 public:
  explicit constexpr Prng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number below `bound`, which is 1 to 2^32; the bias is below bound / 2^32.
  constexpr std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

  /// From `low` to `high`, both included.
  constexpr std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }

  /// True once in `n` times.
  constexpr bool one_in(std::size_t n) { return below(n) == 0; }

  /// One of the elements of a range with size() and operator[].
  template <typename Range>
  constexpr auto& pick(Range& range) {
    return range[below(std::size(range))];
  }

  constexpr void fill(std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(next() >> 56);
  }

 private:
  std::uint64_t state_;
};

// The first outputs for seed 0 are those of the authors' program.
static_assert(Prng(0).next() == 0xe220a8397b1dcdafu);

}  // namespace aesgate
