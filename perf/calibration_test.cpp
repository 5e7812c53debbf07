#include "perf/calibration.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "perf/fake_clock.h"
#include "perf/pinned_thread.h"
#include "perf/statistics.h"

namespace aesgate {
namespace {

/// A core that a test can change, timed by a fake clock.
struct FakeCore {
  FakeClock clock;
  double ticks_per_cycle = 0.625;
  double first_slowdown = 1, second_slowdown = 1;  // of a chain that is held up
  double instructions_per_cycle = 8;

  explicit FakeCore(bool counts_core_cycles = false) : clock(counts_core_cycles) {}

  Calibration calibration() {
    return Calibration(clock,
                       {{"ADD", 100'000, [this] { clock.pass(100'000 * ticks_per_cycle * first_slowdown); }},
                        {"IMUL", 120'000, [this] { clock.pass(120'000 * ticks_per_cycle * second_slowdown); }},
                        {"NOP", 80'000, [this] { clock.pass(80'000 / instructions_per_cycle * ticks_per_cycle); }}});
  }
};

TEST(Calibration, FindsTheCoresCycleExactlyWhenNothingDisturbs) {
  FakeCore core;
  Calibration calibration = core.calibration();
  const Reading before = calibration.read();
  EXPECT_NEAR(before.first, 0.625, 1e-4);  // the clock's overhead, 100 ticks, would add 0.001
  EXPECT_NEAR(before.second, 0.625, 1e-4);
  const auto calibrated = calibration.between(before, calibration.read());
  ASSERT_TRUE(calibrated);
  EXPECT_NEAR(calibrated->units_per_cycle, 0.625, 1e-4);
  EXPECT_NEAR(calibrated->instructions_per_cycle, 8, 0.02);
}

TEST(Calibration, RejectsAFrequencyThatMovedMeanwhile) {
  for (const double change : {0.98, 0.995, 1.005, 1.5}) {
    FakeCore core;
    Calibration calibration = core.calibration();
    const Reading before = calibration.read();
    core.ticks_per_cycle *= change;
    EXPECT_FALSE(calibration.between(before, calibration.read())) << change;
  }
}

TEST(Calibration, AcceptsAChangeWithinTheTolerance) {
  FakeCore core;
  Calibration calibration = core.calibration();
  const Reading before = calibration.read();
  core.ticks_per_cycle *= 1.002;
  const auto calibrated = calibration.between(before, calibration.read());
  ASSERT_TRUE(calibrated);
  EXPECT_NEAR(calibrated->units_per_cycle, 0.625 * 1.001, 1e-4);
}

TEST(Calibration, RejectsAChainThatWasHeldUpBeforeOrAfter) {
  for (double FakeCore::*held_up : {&FakeCore::first_slowdown, &FakeCore::second_slowdown})
    for (const bool first_reading : {true, false}) {
      FakeCore core;
      Calibration calibration = core.calibration();
      core.*held_up = first_reading ? 1.005 : 1;
      const Reading before = calibration.read();
      core.*held_up = first_reading ? 1 : 1.005;
      EXPECT_FALSE(calibration.between(before, calibration.read()));
    }
}

TEST(Calibration, RejectsAClockThatStandsStill) {
  FakeCore core;
  core.ticks_per_cycle = 0;
  Calibration calibration = core.calibration();
  const Reading before = calibration.read();
  EXPECT_FALSE(calibration.between(before, calibration.read()));
}

TEST(Calibration, TakesACounterOfCoreCyclesAtItsWordOnlyIfTheChainsDo) {
  FakeCore core(true);
  Calibration calibration = core.calibration();
  core.ticks_per_cycle = 1.001;
  const Reading right = calibration.read();
  const auto calibrated = calibration.between(right, calibration.read());
  ASSERT_TRUE(calibrated);
  EXPECT_EQ(calibrated->units_per_cycle, 1);
  core.ticks_per_cycle = 0.625;  // a reference cycle, called a core cycle
  const Reading wrong = calibration.read();
  EXPECT_FALSE(calibration.between(wrong, calibration.read()));
}

TEST(Calibration, TheNarrowerOfTheTwoReadingsCounts) {
  FakeCore core;
  Calibration calibration = core.calibration();
  const Reading before = calibration.read();
  core.instructions_per_cycle = 4;
  const auto calibrated = calibration.between(before, calibration.read());
  ASSERT_TRUE(calibrated);  // a chain does not notice who shares the core
  EXPECT_NEAR(calibrated->instructions_per_cycle, 4, 0.01);
}

TEST(BestWidth, IsNearTheTopButNotAStrayValue) {
  std::vector<double> widths(1000, 7.8);
  widths[3] = 50;
  EXPECT_DOUBLE_EQ(best_width(widths), 7.8);
  EXPECT_EQ(best_width({}), 0);
}

// The real chains take the cycles that they say, against each other. Nothing here judges this machine's
// quiet: a tenth is thirty tolerances.
TEST(CpuProbes, ChainsAgreeOnThisCore) {
  auto probes = cpu_probes();
#if defined(__x86_64__) || defined(__aarch64__)
  ASSERT_TRUE(probes);
#endif
  if (!probes) return;  // the report then says that there are no core cycles: evaluate_test.cpp
  const PinnedThread pin;
  const auto clock = best_clock();
  Calibration calibration(*clock, std::move(*probes));
  std::vector<double> ratios;
  std::vector<double> widths;
  for (int i = 0; i < 501; ++i) {
    const Reading reading = calibration.read();
    ratios.push_back(reading.second / reading.first);
    widths.push_back(reading.first / reading.width);
  }
  EXPECT_NEAR(median(ratios), 1, 0.1);
  EXPECT_GT(median(widths), 0.9);  // no core that runs this takes less than one instruction a cycle
}

}  // namespace
}  // namespace aesgate
