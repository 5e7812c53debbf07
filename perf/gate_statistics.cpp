#include "perf/gate_statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace aesgate {
namespace {

/// The chance of `count` or more successes in `of` trials, each with the chance `rate`, which is neither 0 nor 1.
double binomial_tail(std::size_t of, std::size_t count, double rate) {
  const auto n = static_cast<double>(of);
  double tail = 0;
  for (std::size_t i = count; i <= of; ++i) {
    const auto k = static_cast<double>(i);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(rate) +
                     (n - k) * std::log1p(-rate));
  }
  return std::min(tail, 1.0);
}

/// The rate at which the tail, which grows with it, is `chance`.
double rate_for_tail(std::size_t of, std::size_t count, double chance) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (binomial_tail(of, count, middle) < chance ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double fair_coin_tail(std::size_t throws, std::size_t heads) {
  return heads == 0 ? 1 : binomial_tail(throws, heads, 0.5);
}

double chance_of_so_many_above(std::span<const double> values, double limit) {
  const auto above = std::ranges::count_if(values, [limit](double value) { return value > limit; });
  return fair_coin_tail(values.size(), static_cast<std::size_t>(above));
}

double chance_of_so_many_below(std::span<const double> values, double limit) {
  const auto below = std::ranges::count_if(values, [limit](double value) { return value < limit; });
  return fair_coin_tail(values.size(), static_cast<std::size_t>(below));
}

std::vector<bool> holm(std::span<const double> chances, double alpha) {
  std::vector<std::size_t> order(chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return chances[i]; });
  std::vector<bool> rejected(chances.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    if (chances[order[rank]] > alpha / static_cast<double>(order.size() - rank)) break;
    rejected[order[rank]] = true;
  }
  return rejected;
}

Proportion proportion(std::size_t count, std::size_t of) {
  assert(count <= of);
  Proportion result{count, of, 0, 1};
  if (count > 0) result.low = rate_for_tail(of, count, 0.025);
  if (count < of) result.high = rate_for_tail(of, count + 1, 0.975);
  return result;
}

}  // namespace aesgate
