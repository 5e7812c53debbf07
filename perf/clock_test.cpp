#include "perf/clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "perf/pinned_thread.h"

namespace aesgate {
namespace {

/// All clocks that this machine has.
std::vector<std::unique_ptr<Clock>> clocks() {
  std::vector<std::unique_ptr<Clock>> all;
  all.push_back(best_clock());
  all.push_back(monotonic_clock());
  if (auto counter = counter_clock()) all.push_back(std::move(*counter));
  if (auto cycles = core_cycle_clock()) all.push_back(std::move(*cycles));
  return all;
}

TEST(Clock, NeverRunsBackwards) {
  const PinnedThread pin;
  for (const auto& clock : clocks()) {
    std::uint64_t before = clock->start();
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t now = i % 2 == 0 ? clock->stop() : clock->start();
      ASSERT_GE(now, before) << clock->description().name;
      before = now;
    }
  }
}

TEST(Clock, OverheadAndStepAreMeasuredAndSmall) {
  const PinnedThread pin;
  for (const auto& clock : {best_clock(), monotonic_clock()}) {
    const ClockDescription& description = clock->description();
    // A sample lasts 30 µs: an overhead of a tenth of it would be no clock for the purpose.
    EXPECT_GT(description.overhead, 0) << description.name;
    EXPECT_LT(description.overhead * description.nanoseconds_per_unit, 3000) << description.name;
    EXPECT_GE(description.step, 1) << description.name;
    EXPECT_LT(description.step * description.nanoseconds_per_unit, 3000) << description.name;
  }
}

TEST(Clock, OnlyACounterOfCoreCyclesIsCalledOne) {
  const PinnedThread pin;
  for (const auto& clock : clocks()) {
    const ClockDescription& description = clock->description();
    EXPECT_EQ(description.counts_core_cycles, description.unit == "core cycle") << description.name;
    EXPECT_FALSE(description.name.empty());
  }
  const auto counter = counter_clock();
  if (counter) {
    EXPECT_EQ((*counter)->description().unit, "tick");
  }
  EXPECT_EQ(monotonic_clock()->description().unit, "ns");
}

TEST(Clock, TheBestSaysWhyItIsNotBetter) {
  const PinnedThread pin;
  const auto cycles = core_cycle_clock();
  const ClockDescription best = best_clock()->description();
  EXPECT_EQ(best.counts_core_cycles, cycles.has_value());
  EXPECT_EQ(best.why_not_better.empty(), cycles.has_value());
  if (!cycles) {
    EXPECT_NE(cycles.error().message.find("cycle counter"), std::string::npos) << cycles.error().message;
  }
}

// A counter whose low half is sign-extended, or whose high half is lost, does not keep time.
TEST(Clock, KeepsTheTimeThatItSaysItDoes) {
  const PinnedThread pin;
  const auto clock = best_clock();
  // Core cycles come at the core's frequency of the moment, and only outside of the kernel.
  const double doubt = clock->description().counts_core_cycles ? 0.7 : 0.02;
  double best_error = 1e9;
  for (int attempt = 0; attempt < 10 && best_error > doubt; ++attempt) {  // one may be interrupted
    const auto from = std::chrono::steady_clock::now();
    const std::uint64_t start = clock->start();
    while (std::chrono::steady_clock::now() - from < std::chrono::milliseconds(20)) {
    }
    const std::uint64_t stop = clock->stop();
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - from;
    const double said = static_cast<double>(stop - start) * clock->description().nanoseconds_per_unit;
    best_error = std::min(best_error, std::abs(said / passed.count() - 1));
  }
  EXPECT_LE(best_error, doubt);
}

}  // namespace
}  // namespace aesgate
