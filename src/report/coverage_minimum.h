#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/coverage.h"

namespace aesgate {

// The least boundary Cases that a run must have judged of each shape, by class, for "all held" to mean something. The
// numbers are data, and not taken from the list of Cases that is run: whoever loses a part of that list gets a red run.

/// A backend that is too slow for all of them has run at least the core of the list: what is stated for that is one
/// Case in each class whose number for the others is not 0, and of each trait one in the whole shape.
enum class Extent : std::uint8_t { whole, core };

/// The least of a size class with or without a tail, and a kind of split.
[[nodiscard]] std::uint64_t least_cases(Mode mode, std::size_t size, bool tail, Split split, Extent extent);

/// The least of a size class with a trait. In Extent::core that is 0, and least_in_shape() is what counts.
[[nodiscard]] std::uint64_t least_cases(Mode mode, std::size_t size, Trait trait, Extent extent);
[[nodiscard]] std::uint64_t least_in_shape(Mode mode, Trait trait, Extent extent);

/// Shortfall: a class of which fewer ran.
struct Shortfall {
  std::string what;  // "8-15 blocks and a part, block filled exactly by the next call"
  std::uint64_t ran, least;
};

/// The classes that have a minimum of at least 1, and those that fell short of theirs.
struct CoverageCheck {
  std::size_t classes = 0;
  std::vector<Shortfall> short_of;
};
[[nodiscard]] CoverageCheck check_coverage(Mode mode, const Coverage& coverage, Extent extent);

}  // namespace aesgate
