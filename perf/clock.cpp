#include "perf/clock.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <time.h>

namespace aesgate {
namespace {

std::uint64_t monotonic_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

class MonotonicClock final : public Clock {
 public:
  MonotonicClock() {
    description_.name = "CLOCK_MONOTONIC";
    description_.unit = "ns";
    description_.nanoseconds_per_unit = 1;
  }
  std::uint64_t start() override { return now(); }
  std::uint64_t stop() override { return now(); }

 private:
  static std::uint64_t now() {
    // Without the barriers the compiler may move stores of the timed region across the call.
    asm volatile("" : : : "memory");
    const std::uint64_t time = monotonic_nanoseconds();
    asm volatile("" : : : "memory");
    return time;
  }
};

double measure_step(Clock& clock) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t before = clock.start();
    const std::uint64_t now = clock.stop();
    if (now > before) smallest = std::min(smallest, static_cast<double>(now - before));
  }
  return smallest;
}

/// One moment on both clocks, and for how long the two readings may lie apart.
struct Moment {
  std::uint64_t units, nanoseconds, doubt;
};

Moment read_both(Clock& clock) {
  Moment best{0, 0, std::numeric_limits<std::uint64_t>::max()};
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = clock.stop();
    const std::uint64_t nanoseconds = monotonic_nanoseconds();
    const std::uint64_t after = clock.stop();
    // The narrowest pair: an interrupt between the readings would tilt the rate.
    if (after - before < best.doubt) best = {before + (after - before) / 2, nanoseconds, after - before};
  }
  return best;
}

double measure_nanoseconds_per_unit(Clock& clock) {
  constexpr std::uint64_t span = 40'000'000;  // 40 ms: a doubt of 40 ns is a millionth
  const Moment from = read_both(clock);
  while (monotonic_nanoseconds() < from.nanoseconds + span) {
  }
  const Moment to = read_both(clock);
  return static_cast<double>(to.nanoseconds - from.nanoseconds) / static_cast<double>(to.units - from.units);
}

std::unique_ptr<Clock> measured(std::unique_ptr<Clock> clock, std::string why_not_better) {
  clock->measure(std::move(why_not_better));
  return clock;
}

}  // namespace

void Clock::measure(std::string why_not_better) {
  description_.why_not_better = std::move(why_not_better);
  if (description_.nanoseconds_per_unit == 0) description_.nanoseconds_per_unit = measure_nanoseconds_per_unit(*this);
  description_.step = measure_step(*this);
  description_.overhead = measure_overhead(*this);
}

std::unique_ptr<Clock> best_clock() {
  auto cycles = core_cycle_clock();
  if (cycles) return measured(std::move(*cycles), "");
  return best_elapsed_clock(cycles.error().message);
}

std::unique_ptr<Clock> best_elapsed_clock(const std::string& why_not_cycles) {
  auto counter = counter_clock();
  if (counter) return measured(std::move(*counter), why_not_cycles);
  return measured(std::make_unique<MonotonicClock>(), why_not_cycles + "; " + counter.error().message);
}

std::unique_ptr<Clock> monotonic_clock() { return measured(std::make_unique<MonotonicClock>(), ""); }

double measure_overhead(Clock& clock) {
  std::vector<double> differences(4000);
  for (double& difference : differences) {
    const std::uint64_t start = clock.start();
    const std::uint64_t stop = clock.stop();
    difference = static_cast<double>(stop - start);
  }
  std::ranges::sort(differences);
  const auto quarter = static_cast<std::ptrdiff_t>(differences.size() / 4);
  const double sum = std::accumulate(differences.begin() + quarter, differences.end() - quarter, 0.0);
  return sum / static_cast<double>(differences.size() / 2);
}

}  // namespace aesgate
