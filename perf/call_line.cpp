#include "perf/call_line.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "perf/statistics.h"

namespace aesgate {
namespace {

constexpr std::size_t part_of_largest = 16;
constexpr int draws = 400;

/// A size's time: a median, or one that was drawn.
struct Point {
  double bytes, time;
};

struct Values {
  double per_byte, call;
};

/// `points` by size; those from `first_large` on make the slope.
Values fit(const std::vector<Point>& points, std::size_t first_large) {
  std::vector<double> slopes;
  for (std::size_t i = first_large; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      slopes.push_back((points[j].time - points[i].time) / (points[j].bytes - points[i].bytes));
  const double per_byte = median(std::move(slopes));
  std::vector<double> rests;
  for (std::size_t i = 0; i < std::max<std::size_t>(first_large, 1); ++i)
    rests.push_back(points[i].time - per_byte * points[i].bytes);
  return {per_byte, median(std::move(rests))};
}

/// The median of as many values drawn again from `sorted`: its rank is normal about the middle, with a standard
/// deviation of half the root of their number.
double draw_median(const std::vector<double>& sorted, std::mt19937_64& random) {
  std::normal_distribution<double> rank(0.5, 0.5 / std::sqrt(static_cast<double>(sorted.size())));
  return quantile(sorted, std::clamp(rank(random), 0.0, 1.0));
}

Figure figure(double value, std::vector<double> drawn) {
  std::ranges::sort(drawn);
  return {value, quantile(drawn, 0.025), quantile(drawn, 0.975)};
}

}  // namespace

std::optional<CallLine> fit_line(std::vector<CallTimes> sizes) {
  std::erase_if(sizes, [](const CallTimes& size) { return size.times.empty(); });
  if (sizes.size() < 2) return std::nullopt;
  std::ranges::sort(sizes, {}, &CallTimes::bytes);
  std::vector<Point> points;
  for (CallTimes& size : sizes) {
    std::ranges::sort(size.times);
    points.push_back({static_cast<double>(size.bytes), quantile(size.times, 0.5)});
  }
  std::size_t first_large = 0;
  while (first_large + 2 < sizes.size() && sizes[first_large].bytes * part_of_largest < sizes.back().bytes)
    ++first_large;

  const Values values = fit(points, first_large);
  std::mt19937_64 random(sizes.size());
  std::vector<double> per_byte, call;
  for (int i = 0; i < draws; ++i) {
    for (std::size_t size = 0; size < sizes.size(); ++size) points[size].time = draw_median(sizes[size].times, random);
    const Values drawn = fit(points, first_large);
    per_byte.push_back(drawn.per_byte);
    call.push_back(drawn.call);
  }
  return CallLine{figure(values.per_byte, std::move(per_byte)), figure(values.call, std::move(call)),
                  sizes[first_large].bytes, sizes.back().bytes};
}

}  // namespace aesgate
