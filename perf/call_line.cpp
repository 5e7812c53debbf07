#include "perf/call_line.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <utility>

#include "perf/statistics.h"

namespace aesgate {
namespace {

constexpr std::size_t part_of_largest = 16;
constexpr int draws = 400;

/// Where among a size's samples its time is.
constexpr double lower_quartile = 0.25;

/// A size's time, or one that was drawn.
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

/// The samples of one size.
class Samples {
 public:
  explicit Samples(std::vector<CallTime> times) : sorted_(std::move(times)) {
    std::ranges::sort(sorted_, {}, &CallTime::time);
    for (const CallTime& sample : sorted_) in_round_[sample.round] += 1;
  }

  [[nodiscard]] double time() const {
    std::vector<double> times;
    for (const CallTime& sample : sorted_) times.push_back(sample.time);
    return quantile(times, lower_quartile);
  }

  /// That of as many rounds and as many samples drawn again. The rank of a quantile q of n values is near to normal,
  /// with a standard deviation of sqrt(q (1 - q) / n) of them.
  [[nodiscard]] double draw(std::mt19937_64& random) const {
    std::uniform_int_distribution<std::size_t> some_round(0, in_round_.size() - 1);
    std::map<std::size_t, std::size_t> times_drawn;
    std::size_t samples = 0;
    for (std::size_t i = 0; i < in_round_.size(); ++i) {
      const auto round = std::next(in_round_.begin(), static_cast<std::ptrdiff_t>(some_round(random)));
      ++times_drawn[round->first];
      samples += round->second;
    }
    const auto n = static_cast<double>(samples);
    std::normal_distribution<double> part(lower_quartile, std::sqrt(lower_quartile * (1 - lower_quartile) / n));
    auto rank = static_cast<std::ptrdiff_t>(std::clamp(part(random), 0.0, 1.0) * (n - 1));
    for (const CallTime& sample : sorted_)
      if (const auto drawn = times_drawn.find(sample.round); drawn != times_drawn.end()) {
        rank -= static_cast<std::ptrdiff_t>(drawn->second);
        if (rank < 0) return sample.time;
      }
    return sorted_.back().time;
  }

 private:
  std::vector<CallTime> sorted_;
  std::map<std::size_t, std::size_t> in_round_;  // samples, by round
};

Figure figure(double value, std::vector<double> drawn) {
  std::ranges::sort(drawn);
  return {value, quantile(drawn, 0.025), quantile(drawn, 0.975)};
}

}  // namespace

std::optional<CallLine> fit_line(std::vector<CallTimes> sizes) {
  std::erase_if(sizes, [](const CallTimes& size) { return size.times.empty(); });
  if (sizes.size() < 2) return std::nullopt;
  std::ranges::sort(sizes, {}, &CallTimes::bytes);
  std::vector<Samples> samples;
  std::vector<Point> points;
  for (CallTimes& size : sizes) {
    samples.emplace_back(std::move(size.times));
    points.push_back({static_cast<double>(size.bytes), samples.back().time()});
  }
  std::size_t first_large = 0;
  while (first_large + 2 < sizes.size() && sizes[first_large].bytes * part_of_largest < sizes.back().bytes)
    ++first_large;

  const Values values = fit(points, first_large);
  std::mt19937_64 random(sizes.size());
  std::vector<double> per_byte, call;
  for (int i = 0; i < draws; ++i) {
    for (std::size_t size = 0; size < sizes.size(); ++size) points[size].time = samples[size].draw(random);
    const Values drawn = fit(points, first_large);
    per_byte.push_back(drawn.per_byte);
    call.push_back(drawn.call);
  }
  return CallLine{figure(values.per_byte, std::move(per_byte)), figure(values.call, std::move(call)),
                  sizes[first_large].bytes, sizes.back().bytes};
}

}  // namespace aesgate
