#include "explain/fit.h"

#include <algorithm>
#include <cmath>

namespace aesgate::explain {
namespace {

struct Point {
  double bytes, seconds, resolution;  // the last as a part of the time
};

/// A table rounds its rate to some six digits; "3.00s" without a table has a step of 0.01 s. Timers add a little.
double resolution(const Sample& sample) {
  constexpr double of_timers = 0.001;
  if (sample.bytes_per_second > 0 || sample.seconds <= 0) return of_timers;
  return std::max(of_timers, 0.005 / sample.seconds);
}

std::vector<Point> points(const SpeedRun& run, bool by_clock) {
  std::vector<Point> all;
  for (const Sample& sample : run.samples) {
    const auto seconds = by_clock ? seconds_per_call(run, sample) : elapsed_per_call(run, sample);
    if (seconds && sample.bytes > 0) all.push_back({static_cast<double>(sample.bytes), *seconds, resolution(sample)});
  }
  return all;
}

}  // namespace

std::optional<Fit> fit(const SpeedRun& run, bool by_clock) {
  const std::vector<Point> all = points(run, by_clock);
  if (all.size() < 3) return std::nullopt;
  double weights = 0, bytes = 0, seconds = 0;
  for (const Point& point : all) {
    const double weight = 1 / (point.seconds * point.seconds);
    weights += weight;
    bytes += weight * point.bytes;
    seconds += weight * point.seconds;
  }
  bytes /= weights;
  seconds /= weights;
  double products = 0, squares = 0;
  for (const Point& point : all) {
    const double weight = 1 / (point.seconds * point.seconds), distance = point.bytes - bytes;
    products += weight * distance * (point.seconds - seconds);
    squares += weight * distance * distance;
  }
  if (!(squares > 0)) return std::nullopt;
  Fit line;
  line.per_byte = products / squares;
  line.setup = seconds - line.per_byte * bytes;
  line.sizes = all.size();
  double scatter = 0, step = 0;
  for (const Point& point : all) {
    const double off = (line.setup + line.per_byte * point.bytes) / point.seconds - 1;
    line.worst = std::max(line.worst, std::abs(off));
    scatter += off * off;
    step = std::max(step, point.resolution);
  }
  const double relative = std::max(step, std::sqrt(scatter / static_cast<double>(all.size() - 2)));
  line.per_byte_error = 2 * relative / std::sqrt(squares);
  line.setup_error = 2 * relative * std::sqrt(1 / weights + bytes * bytes / squares);
  if (!std::isfinite(line.setup) || !std::isfinite(line.per_byte_error) || !std::isfinite(line.setup_error))
    return std::nullopt;
  return line;
}

}  // namespace aesgate::explain
