#include "perf/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace aesgate {
namespace {

/// The chance of exactly `k` heads in `n` throws of a fair coin. By logarithms: 2^-n is below the smallest
/// double from n = 1075 on.
double fair_coin(std::size_t n, std::size_t k) {
  const auto count = static_cast<double>(n);
  const auto heads = static_cast<double>(k);
  return std::exp(std::lgamma(count + 1) - std::lgamma(heads + 1) - std::lgamma(count - heads + 1) -
                  count * std::log(2.0));
}

}  // namespace

double quantile(std::span<const double> sorted, double q) {
  assert(!sorted.empty() && q >= 0 && q <= 1);
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

MedianRanks median_ranks(std::size_t samples, double confidence) {
  assert(samples > 0);
  // The median lies between the order statistics of ranks l and n - 1 - l (from 0) unless l or fewer
  // values fell on one side of it: the binomial distribution with p = 1/2, both tails.
  MedianRanks ranks{0, samples - 1, 0};
  double tail = fair_coin(samples, 0);
  ranks.confidence = 1 - 2 * tail;
  while (ranks.low + 2 < ranks.high) {
    const double wider_tail = tail + fair_coin(samples, ranks.low + 1);
    if (1 - 2 * wider_tail < confidence) break;
    tail = wider_tail;
    ranks = {ranks.low + 1, ranks.high - 1, 1 - 2 * tail};
  }
  ranks.confidence = std::max(ranks.confidence, 0.0);
  return ranks;
}

Estimate estimate(std::vector<double> values, double confidence) {
  assert(!values.empty());
  std::ranges::sort(values);
  const MedianRanks ranks = median_ranks(values.size(), confidence);
  Estimate result;
  result.samples = values.size();
  result.median = quantile(values, 0.5);
  result.lower_quartile = quantile(values, 0.25);
  result.upper_quartile = quantile(values, 0.75);
  result.low = values[ranks.low];
  result.high = values[ranks.high];
  result.confidence = ranks.confidence;
  std::ranges::for_each(values, [&](double& value) { value = std::abs(value - result.median); });
  result.deviation = median(std::move(values));
  return result;
}

}  // namespace aesgate
