#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace aesgate {

/// Figure: a value and its 95% interval.
struct Figure {
  double value = 0, low = 0, high = 0;
};

/// CallTime: what a call took, in a sample of that round.
struct CallTime {
  double time = 0;
  std::size_t round = 0;
};

/// CallTimes: what calls of one size took.
struct CallTimes {
  std::size_t bytes = 0;
  std::vector<CallTime> times;  // one for each sample, in any order
};

/// CallLine: calls of several sizes as a straight line: time = call + per_byte × bytes.
struct CallLine {
  Figure per_byte;
  Figure call;
  std::size_t from_bytes = 0, to_bytes = 0;  // the sizes that the slope is from
};

/// Of two sizes or more, each with a sample or more; nothing otherwise.
///
/// A size's time is the lower quartile of its samples. Whatever disturbs a call makes it slower, and where a core runs
/// the same code now faster, now slower, the samples fall into groups; a median of them jumps from one group to the
/// other when their shares change by little, and a quartile less often (README.md has how often).
///
/// The slope is the median of the slopes between all pairs (Theil and Sen) of the sizes that are at least a
/// sixteenth of the largest, or the largest two: what a call costs, and how a short one fills and drains a unit, is not
/// in it, and one size that came out wrong does not move it far. The cost of a call is the median of what the slope
/// leaves of the smaller sizes, or of the smallest.
///
/// The intervals are bootstraps, 400 of them: each size's rounds are drawn again, and of their samples the quartile. So
/// they hold what scatters from sample to sample and from round to round, and nothing that is the same all through a
/// run.
[[nodiscard]] std::optional<CallLine> fit_line(std::vector<CallTimes> sizes);

}  // namespace aesgate
