#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace aesgate {

/// Figure: a value and its 95% interval.
struct Figure {
  double value = 0, low = 0, high = 0;
};

/// CallTimes: what calls of one size took.
struct CallTimes {
  std::size_t bytes = 0;
  std::vector<double> times;  // of a call, one for each sample, in any order
};

/// CallLine: calls of several sizes as a straight line: time = call + per_byte × bytes.
struct CallLine {
  Figure per_byte;
  Figure call;
  std::size_t from_bytes = 0, to_bytes = 0;  // the sizes that the slope is from
};

/// Of two sizes or more, each with a sample or more; nothing otherwise.
///
/// The slope is the median of the slopes between all pairs of medians (Theil and Sen) of the sizes that are at least a
/// sixteenth of the largest, or the largest two: what a call costs, and how a short one fills and drains a unit, is not
/// in it, and one size that came out wrong does not move it far. The cost of a call is the median of what the slope
/// leaves of the smaller sizes, or of the smallest.
///
/// The intervals are bootstraps: each size's median is drawn again, 400 times. So they hold what scatters from sample
/// to sample, and nothing that is the same for all samples of a run.
[[nodiscard]] std::optional<CallLine> fit_line(std::vector<CallTimes> sizes);

}  // namespace aesgate
