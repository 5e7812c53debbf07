#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace aesgate {

/// Estimate: a median and how far it can be trusted.
struct Estimate {
  std::size_t samples = 0;
  double median = 0;
  double lower_quartile = 0, upper_quartile = 0;

  /// A confidence interval of the median from order statistics: it assumes nothing about the distribution.
  double low = 0, high = 0;
  /// The chance that the interval covers the median: at least the one asked for, or, with fewer than six
  /// samples, that of the whole range.
  double confidence = 0;

  /// The median absolute deviation from the median.
  double deviation = 0;

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// The quantile `q`, 0 to 1, of values in ascending order, at least one: linear between neighbours, as
/// in Hyndman and Fan's definition 7.
[[nodiscard]] double quantile(std::span<const double> sorted, double q);

[[nodiscard]] double median(std::vector<double> values);

/// The 0-based ranks of the two order statistics of `samples` independent values that enclose the
/// population's median with at least `confidence`, as near to the middle as can be; and that chance.
struct MedianRanks {
  std::size_t low = 0, high = 0;
  double confidence = 0;
};
[[nodiscard]] MedianRanks median_ranks(std::size_t samples, double confidence);

/// All of it, of at least one value.
[[nodiscard]] Estimate estimate(std::vector<double> values, double confidence = 0.95);

}  // namespace aesgate
