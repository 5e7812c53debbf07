#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/summary.h"

namespace aesgate {

/// ShapeCoverage: what ran of the boundary Cases of a shape, against coverage_minimum.h.
struct ShapeCoverage {
  Shape shape;
  std::uint64_t ran = 0, planned = 0;  // equal, unless the backend was too slow for all
  std::size_t classes = 0;             // that have a minimum
  std::vector<std::string> short_of;   // "8-15 blocks, one call: 3 cases, at least 20"
};

/// Does the run have boundary Cases? Otherwise nothing is stated of it.
[[nodiscard]] bool states_coverage(const Summary& summary);

/// The shapes of the plan that a backend does, when the stages are done; none if it is unavailable.
[[nodiscard]] std::vector<ShapeCoverage> coverage_of(const Summary& summary, const Summary::Backend& backend,
                                                     const Record& record);

}  // namespace aesgate
