#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/case.h"
#include "core/shape.h"

namespace rc {
template <typename T>
class Gen;
}

namespace aesgate::props {

/// Fill: what the bytes of a key, an IV or a message are, in a form that is small, copied and shrunk.
struct Fill {
  enum class Kind : std::uint8_t { zeros, ones, random };
  Kind kind = Kind::zeros;
  std::uint64_t seed = 0;  // of `random`

  /// The first `count` bytes; a shorter fill is the front of a longer one.
  [[nodiscard]] Bytes bytes(std::size_t count) const;
};

/// Draft: the parameters of Cases of one shape, as plain values: RapidCheck copies, shrinks and keeps
/// what it generates, and a Case, which holds a Key, is not for that.
struct Draft {
  Shape shape;
  std::size_t length = 0;  // in units; one that the mode takes
  Fill key, iv, input;

  /// Lengths of calls, in units: as many as fit the message are used, and one more takes the rest. A length
  /// that ECB and CBC cannot take is a probe (Case::chunks).
  std::vector<std::size_t> steps;

  Placement placement;

  /// Numbers for what a law has to choose, such as the bit to flip.
  std::array<std::uint64_t, 2> picks{};

  /// picks[which], brought into 0..count-1.
  [[nodiscard]] std::size_t pick(std::size_t which, std::size_t count) const;
};

/// The message of a draft in one call, at the start of a page.
[[nodiscard]] Case whole_case(const Draft& draft);

/// The same message in the draft's steps and at its placement.
[[nodiscard]] Case handled_case(const Draft& draft);

/// Drafts of a shape, of at least `min_units` units. Lengths lie around the numbers of blocks or segments
/// at which implementations change path, 1 to 4, 6, 8, 16, 32 and 64, with a unit more and less where the
/// mode takes that, and sometimes anywhere. A draft shrinks to a shorter message, one call, plain
/// placement and zeros. Two generators with the same arguments, given the same rc::Random, agree.
[[nodiscard]] rc::Gen<Draft> drafts(const Shape& shape, std::size_t min_units);

/// The drafts to which one shrinks in a step, all simpler, the boldest first.
[[nodiscard]] std::vector<Draft> simpler(const Draft& draft, std::size_t min_units);

/// splitmix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: a
/// number that looks unrelated for each `seed`, the same on every platform.
[[nodiscard]] std::uint64_t mix(std::uint64_t seed);

}  // namespace aesgate::props
