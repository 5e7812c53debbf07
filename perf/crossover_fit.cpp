#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "perf/crossover.h"

namespace aesgate {
namespace {

constexpr int draws = 400;
constexpr double below = 0, above = std::numeric_limits<double>::infinity();

/// A size and the logarithm of a ratio there: B is faster where it is below 0.
struct Point {
  double bytes, log_ratio;
};

/// Where B takes the lead for good; `below` if it has it from the smallest size on, `above` if it has not at the
/// largest.
double crossing(const std::vector<Point>& points) {
  std::size_t first = points.size();
  while (first > 0 && points[first - 1].log_ratio < 0) --first;
  if (first == 0) return below;
  if (first == points.size()) return above;
  const Point &slower = points[first - 1], &faster = points[first];
  const double part = slower.log_ratio / (slower.log_ratio - faster.log_ratio);
  return slower.bytes * std::pow(faster.bytes / slower.bytes, part);
}

/// As in call_line.cpp: the median of as many values drawn again.
double draw_median(const std::vector<double>& sorted, std::mt19937_64& random) {
  std::normal_distribution<double> rank(0.5, 0.5 / std::sqrt(static_cast<double>(sorted.size())));
  return quantile(sorted, std::clamp(rank(random), 0.0, 1.0));
}

/// Is A surely faster at a size that is larger than one at which B surely is?
bool in_turns(const std::vector<RatioAtSize>& sizes) {
  bool b_was_faster = false;
  for (const RatioAtSize& size : sizes) {
    const Estimate ratio = estimate(size.ratios);
    if (b_was_faster && ratio.low > 1) return true;
    b_was_faster = b_was_faster || ratio.high < 1;
  }
  return false;
}

}  // namespace

Crossover find_crossover(std::vector<RatioAtSize> sizes) {
  std::erase_if(sizes, [](const RatioAtSize& size) { return size.ratios.empty(); });
  if (sizes.empty()) return {};
  std::ranges::sort(sizes, {}, &RatioAtSize::bytes);
  std::vector<Point> points;
  for (RatioAtSize& size : sizes) {
    std::ranges::sort(size.ratios);
    points.push_back({static_cast<double>(size.bytes), std::log(quantile(size.ratios, 0.5))});
  }
  Crossover result;
  result.bytes = crossing(points);
  std::mt19937_64 random(sizes.size());
  std::vector<double> drawn;
  for (int i = 0; i < draws; ++i) {
    for (std::size_t size = 0; size < sizes.size(); ++size)
      points[size].log_ratio = std::log(draw_median(sizes[size].ratios, random));
    drawn.push_back(crossing(points));
  }
  // No quantile between values: there is none between a size and infinity.
  std::ranges::sort(drawn);
  result.low = drawn[draws / 40];
  result.high = drawn[draws - 1 - draws / 40];
  if (in_turns(sizes) || (result.high == above && result.low != above))
    result.answer = Crossover::Answer::unclear;  // who is faster at the largest size, or whether it stays so
  else if (result.high == below)
    result.answer = Crossover::Answer::always;
  else if (result.low == above)
    result.answer = Crossover::Answer::never;
  else
    result.answer = Crossover::Answer::from;
  return result;
}

}  // namespace aesgate
