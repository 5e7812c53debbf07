#include "perf/sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "perf/fake_clock.h"
#include "perf/pinned_thread.h"
#include "perf/statistics.h"

namespace aesgate {
namespace {

/// What the backend below does. Not AES: the sampler asks no oracle.
struct Script {
  std::size_t multiplications = 0;  // one waiting for the other, a call
  std::size_t fail_at = 0;          // call that fails, from 1
  std::size_t crash_at = 0;
  FakeClock* clock = nullptr;  // on which 500 units pass a call
  bool sleeps = false;         // and gives the CPU away
};
Script script;

/// What it saw.
struct Seen {
  std::size_t calls = 0, starts = 0;
  std::set<std::size_t> lengths;
  std::set<std::uint8_t> first_bytes;
  std::set<bool> in_place;
};
Seen seen;

long voluntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

/// Sleeps until the kernel counts it: on a machine with no time to give, a timer can fire before the thread is off its
/// CPU.
void lose_the_cpu() {
  const long before = voluntary_switches();
  while (voluntary_switches() == before) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

int update(void*, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  ++seen.calls;
  if (seen.calls == script.crash_at) std::raise(SIGSEGV);
  if (seen.calls == script.fail_at) return AESGATE_FAILED;
  seen.lengths.insert(length);
  seen.first_bytes.insert(in[0]);
  seen.in_place.insert(in == out);
  if (script.clock != nullptr) script.clock->pass(500);
  if (script.sleeps) lose_the_cpu();
  std::uint64_t x = in[0] | 1u;
  for (std::size_t i = 0; i < script.multiplications; ++i) x = x * x + 1;
  std::memcpy(out, &x, sizeof x);
  return AESGATE_OK;
}

const aesgate_backend scripted{
    AESGATE_ABI_VERSION,
    sizeof(aesgate_backend),
    "scripted",
    "software",
    "none",
    "does what a test says",
    nullptr,
    nullptr,
    [](const aesgate_backend*, char*, std::size_t) -> int { return AESGATE_OK; },
    [](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return update; },
    [](const aesgate_backend*, const aesgate_shape*) -> std::size_t { return 16; },
    16,
    [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) -> int {
      ++seen.starts;
      return AESGATE_OK;
    },
    nullptr,
    nullptr,
    [](void*) {}};

class Sampler : public testing::Test {
 protected:
  Sampling sample(const Script& asked, Workload workload = {{}, 16, false, 1}) {
    script = asked;
    seen = {};
    SamplerOptions options;
    options.seconds = 0.01;
    return sample_calls(scripted, workload, *clock_, nullptr, options);
  }

  /// The median time of a call.
  double nanoseconds_per_call(const Sampling& sampling) {
    std::vector<double> units;
    for (const Sample& one : sampling.samples) units.push_back(one.units);
    return median(units) / static_cast<double>(sampling.calls_per_sample) * clock_->description().nanoseconds_per_unit;
  }

  PinnedThread pin_;
  std::unique_ptr<Clock> clock_ = best_clock();
};

// Were the work moved out of the timed region, the time would not hold it. A multiplication and an addition that
// wait for each other take four cycles and more: 0.5 ns at 8 GHz.
TEST_F(Sampler, TimesTheWorkItself) {
  constexpr double multiplications = 2000;
  const Sampling sampling = sample({.multiplications = 2000});
  ASSERT_EQ(sampling.verdict, Verdict::agree);
  EXPECT_GE(nanoseconds_per_call(sampling), 0.5 * multiplications);
}

TEST_F(Sampler, TwiceTheWorkTakesTwiceTheTime) {
  double ratio = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {  // the machine may be doing something else meanwhile
    const double once = nanoseconds_per_call(sample({.multiplications = 4000}));
    const double twice = nanoseconds_per_call(sample({.multiplications = 8000}));
    ratio = twice / once;
    if (std::abs(ratio - 2) < 0.2) break;
  }
  EXPECT_NEAR(ratio, 2, 0.2);
}

/// A core that a calibration always agrees about.
struct SteadyCore {
  FakeClock clock;
  Calibration calibration{clock,
                          {{"first", 1000, [this] { clock.pass(500); }},
                           {"second", 1000, [this] { clock.pass(500); }},
                           {"width", 8000, [this] { clock.pass(500); }}}};

  Sampling sample(Script asked) {
    asked.clock = &clock;
    script = asked;
    SamplerOptions options;
    options.seconds = 0.01;
    return sample_calls(scripted, {{}, 16, false, 1}, clock, &calibration, options);
  }
};

TEST_F(Sampler, UnitsAreThoseOfTheCallsWithoutTheClocksOwn) {
  SteadyCore core;
  const Sampling sampling = core.sample({.multiplications = 1000});
  for (const Sample& one : sampling.samples)
    ASSERT_DOUBLE_EQ(one.units, 500.0 * static_cast<double>(sampling.calls_per_sample));
}

TEST_F(Sampler, ASampleInWhichTheThreadLostItsCpuHasNoCycles) {
  const auto calibrated = [](const Sampling& sampling) {
    return std::ranges::count_if(sampling.samples, [](const Sample& one) { return one.calibrated.has_value(); });
  };
  SteadyCore core;
  EXPECT_GT(calibrated(core.sample({.multiplications = 1000})), 0);
  EXPECT_EQ(calibrated(core.sample({.sleeps = true})), 0);
}

TEST_F(Sampler, SamplesLastLongEnoughAndAreEnough) {
  const Sampling sampling = sample({.multiplications = 100});
  EXPECT_GE(sampling.samples.size(), 11u);
  EXPECT_GT(sampling.calls_per_sample, 1u);
  EXPECT_GE(nanoseconds_per_call(sampling) * static_cast<double>(sampling.calls_per_sample), 20'000);
  EXPECT_GE(seen.calls, sampling.samples.size() * sampling.calls_per_sample);
  EXPECT_EQ(seen.starts, 1u);  // one message: a serial mode's calls are a chain
}

TEST_F(Sampler, ACallLongerThanASampleIsASample) {
  const Sampling sampling = sample({.multiplications = 200'000});
  EXPECT_EQ(sampling.calls_per_sample, 1u);
  EXPECT_GE(sampling.samples.size(), 11u);
}

TEST_F(Sampler, InputsVary) {
  (void)sample({.multiplications = 1000});
  EXPECT_GT(seen.first_bytes.size(), 10u);
}

TEST_F(Sampler, KeepsToTheWorkload) {
  (void)sample({});
  EXPECT_EQ(seen.lengths, std::set<std::size_t>{16});
  EXPECT_EQ(seen.in_place, std::set<bool>{false});
  (void)sample({}, {{Mode::cfb1, Direction::encrypt, KeySize::bits128}, 24, true, 1});
  EXPECT_EQ(seen.lengths, std::set<std::size_t>{24 * 8});
  EXPECT_EQ(seen.in_place, std::set<bool>{true});
}

TEST_F(Sampler, ACallThatFailsWhileTimedIsAFailure) {
  const Sampling sampling = sample({.multiplications = 1000, .fail_at = 20});
  EXPECT_EQ(sampling.verdict, Verdict::failed);
  EXPECT_EQ(sampling.reason, "update() while it was timed said: failed");
  EXPECT_EQ(seen.calls, 20u);
}

TEST_F(Sampler, ACrashWhileTimedIsAFailure) {
  const Sampling sampling = sample({.multiplications = 1000, .crash_at = 20});
  EXPECT_EQ(sampling.verdict, Verdict::crashed);
  EXPECT_EQ(sampling.reason, "SIGSEGV in update() while it was timed");
}

}  // namespace
}  // namespace aesgate
