// Mistakes that published timing code made, each with a test that it is not made here. Every test names the change to
// this program that makes it fail.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "oracle/oracle.h"
#include "perf/fake_clock.h"
#include "perf/pair_sampler.h"
#include "perf/perf.h"
#include "perf/perf_formats.h"
#include "perf/pinned_thread.h"
#include "perf/sampler.h"
#include "perf/statistics.h"

namespace aesgate {
namespace {

/// What a call of the backend below does, which is no AES: nobody judges it here.
std::function<void(const std::uint8_t* in, std::uint8_t* out, std::size_t length)> work;

int update(void*, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  work(in, out, length);
  return AESGATE_OK;
}

const aesgate_backend worker{AESGATE_ABI_VERSION,
                             sizeof(aesgate_backend),
                             "worker",
                             "kernel",
                             "none",
                             "does what a test says",
                             nullptr,
                             nullptr,
                             [](const aesgate_backend*, char*, std::size_t) -> int { return AESGATE_OK; },
                             [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
                               return shape->flags == 0 ? update : nullptr;
                             },
                             [](const aesgate_backend*, const aesgate_shape*) -> std::size_t { return 16; },
                             16,
                             [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*,
                                const std::uint8_t*) -> int { return AESGATE_OK; },
                             nullptr,
                             nullptr,
                             [](void*) {}};

const Workload a_block{{Mode::ecb, Direction::encrypt, KeySize::bits128}, 16};

Sampling sample(Clock& clock, double seconds = 0.005) {
  SamplerOptions options;
  options.seconds = seconds;
  return sample_calls(worker, a_block, clock, nullptr, options);
}

double nanoseconds_per_call(const Sampling& sampling, const Clock& clock) {
  std::vector<double> units;
  for (const Sample& one : sampling.samples) units.push_back(one.units);
  return median(std::move(units)) * clock.description().nanoseconds_per_unit /
         static_cast<double>(sampling.calls_per_sample);
}

// "0.00 cycles/byte": the compiler moved the work out of the timed region. The work here is inline between the two
// readings, where the compiler sees all of it; 2000 multiplications that wait for each other take 3 cycles each, which
// is 1.2 µs at 5 GHz. Fails for a clock whose readings are inline and not volatile, or, in MonotonicClock, without the
// barriers and with a clock_gettime() that the compiler knows to write no memory.
TEST(TimingMistakes, NoMemoryClobber) {
  const PinnedThread pin;
  for (const auto& clock : {best_clock(), monotonic_clock()}) {
    double shortest = 1e300;
    for (int i = 0; i < 20; ++i) {
      std::array<std::uint64_t, 2> memory{3, 0};
      const std::uint64_t from = clock->start();
      std::uint64_t x = memory[0];
      for (int step = 0; step < 2000; ++step) x = x * x + 1;
      memory[1] = x;
      const std::uint64_t to = clock->stop();
      ASSERT_NE(memory[1], 3u);
      shortest = std::min(shortest, static_cast<double>(to - from) * clock->description().nanoseconds_per_unit);
    }
    EXPECT_GT(shortest, 1000) << clock->description().name;
  }
}

// The low word of the counter, sign-extended: then half of all times have their upper half set, and a region in which
// bit 31 changes has a time of minus 2^32. Fails if the counter is put together with int32_t for the low word (when
// that is negative, which it is half of the time: so for up to a second it is waited for), or if the sampler keeps 32
// bits.
TEST(TimingMistakes, LowWordSignExtended) {
  const auto counter = counter_clock();
  if (counter) {
    const auto from = std::chrono::steady_clock::now();
    std::uint64_t reading = (*counter)->start();
    // Only where it goes through 32 bits soon; a counter of 24 MHz takes minutes.
    while ((reading & 0x8000'0000u) == 0 && std::chrono::steady_clock::now() - from < std::chrono::milliseconds(1200)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      reading = (*counter)->start();
    }
    EXPECT_LT(reading, std::uint64_t{1} << 62);
    EXPECT_GE((*counter)->stop(), reading);
  }
  FakeClock clock;
  const std::uint64_t begin = clock.start();
  clock.pass(static_cast<double>((((begin >> 32) + 1) << 32 | 0x7fff'ff00u) - begin));  // just before bit 31 flips
  work = [&](const std::uint8_t*, std::uint8_t*, std::size_t) { clock.pass(7); };
  const Sampling sampling = sample(clock, 0.001);
  for (const Sample& one : sampling.samples)
    ASSERT_DOUBLE_EQ(one.units, 7.0 * static_cast<double>(sampling.calls_per_sample));
}

/// Real time, in steps of 50 µs.
class CoarseClock final : public Clock {
 public:
  static constexpr double step = 50'000;
  CoarseClock() {
    description_.unit = "ns";
    description_.nanoseconds_per_unit = 1;
    description_.step = step;
  }
  std::uint64_t start() override { return now(); }
  std::uint64_t stop() override { return now(); }

 private:
  static std::uint64_t now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count() / 50'000 * 50'000);
  }
};

// One block, timed by a clock that steps by more than it takes: every time is 0 or a step. Fails if a sample is a call,
// or always 30 µs: then this clock gives 0 or 50 µs for it.
TEST(TimingMistakes, StepLargerThanABlock) {
  const PinnedThread pin;
  work = [](const std::uint8_t* in, std::uint8_t* out, std::size_t) {
    std::uint64_t x = in[0] | 1u;
    for (int step = 0; step < 300; ++step) x = x * x + 1;
    std::memcpy(out, &x, sizeof x);
  };
  CoarseClock coarse;
  SamplerOptions options;
  options.seconds = 0;
  options.least_samples = 3;
  const Sampling sampling = sample_calls(worker, a_block, coarse, nullptr, options);
  ASSERT_EQ(sampling.verdict, Verdict::agree);
  for (const Sample& one : sampling.samples) EXPECT_GT(one.units, 500 * CoarseClock::step);
  EXPECT_GT(nanoseconds_per_call(sampling, coarse), 100);
}

// A failed self-test, and the figures below it, with exit status 0. Fails if exit_status() looks at what was timed
// alone, or if a backend is not judged before it is timed.
TEST(TimingMistakes, FailedSelfTestWithStatus0) {
  work = [](const std::uint8_t* in, std::uint8_t* out, std::size_t length) { std::memmove(out, in, length); };
  Plan plan;
  plan.backends = {&worker, &fips197_oracle()};  // one is right and has its figures
  plan.modes = {Mode::ecb};
  PerfOptions options;
  options.directions = {Direction::encrypt};
  options.sizes = {16};
  options.seconds_per_cell = 0.001;
  options.key_setup = false;
  Record record{std::filesystem::path()};
  const auto report = run_perf(plan, options, record);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(exit_status(*report), 1);
  EXPECT_EQ(report->results.at(0).verdict, Verdict::mismatch);
  EXPECT_TRUE(report->results[0].raw.empty());
  EXPECT_TRUE(report->results.at(1).timed());
  const std::string table = to_table(*report);
  EXPECT_NE(table.find("not timed, mismatch: output differs"), std::string::npos) << table;
}

// Different compiler flags for the two sides: here there are not two loops to be compiled. One and the same function is
// called by both sides with the same time, whichever comes first. Fails if either side of a pair gets a loop, warm-up
// or correction of its own: with a tick more for the candidate it is not 1.
TEST(TimingMistakes, DifferentFlagsForTheSides) {
  FakeClock clock;
  work = [&](const std::uint8_t*, std::uint8_t*, std::size_t) { clock.pass(300); };
  PairOptions options;
  options.pairs = 20;
  const Pairing pairing = sample_pairs(worker, worker, a_block, clock, nullptr, options);
  ASSERT_GE(pairing.pairs.size(), least_pairs);
  for (const Pair& pair : pairing.pairs) ASSERT_DOUBLE_EQ(pair.candidate, pair.baseline);
  ASSERT_GT(pairing.pairs[0].baseline, 0);
}

// `x && 0xff` for `x & 0xff`: inputs of zeros and ones. Every bit of the input is set in about half of the samples; and
// keys, where key set-up is timed, are new as well. Fails if renew_input() is not called for each sample, or fills with
// a truth value.
TEST(TimingMistakes, ConstantInputs) {
  constexpr std::size_t inputs = 400;
  std::array<std::size_t, 128> input_bits{}, key_bits{};
  Workload workload = a_block;
  workload.timed = Timed::key_setup;
  CallData data(workload);
  for (std::size_t i = 0; i < inputs; ++i) {
    data.renew_input();
    for (std::size_t bit = 0; bit < 128; ++bit) {
      input_bits[bit] += data.input()[bit / 8] >> bit % 8 & 1u;
      key_bits[bit] += data.key()[bit / 8] >> bit % 8 & 1u;
    }
  }
  for (const auto& bits_set : {input_bits, key_bits})
    for (const std::size_t set : bits_set) {
      EXPECT_GT(set, inputs * 3 / 10);  // eight standard deviations below the half
      EXPECT_LT(set, inputs * 7 / 10);
    }
  // And in the sampler.
  FakeClock clock;
  std::set<std::uint8_t> seen;
  work = [&](const std::uint8_t* in, std::uint8_t*, std::size_t) {
    seen.insert(in[7]);
    clock.pass(30);
  };
  const Sampling sampling = sample(clock, 0.02);
  EXPECT_GT(seen.size(), std::min<std::size_t>(sampling.samples.size(), 100) / 2);
}

// CPU time printed as if it were elapsed time: a device that works for 2 ms, while this thread sleeps, looks many times
// faster than it is. Fails if a clock counts this thread's CPU time, if perf_clock() gives core cycles to a kernel
// backend, or if Elapsed takes its nanoseconds from the thread's CPU clock.
TEST(TimingMistakes, CpuTimeAsElapsedTime) {
  constexpr double device_nanoseconds = 2e6;
  work = [](const std::uint8_t*, std::uint8_t*, std::size_t) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<long>(device_nanoseconds)));
  };
  Plan plan;
  plan.backends = {&worker};  // whose kind is "kernel"
  const auto clock = perf_clock(plan);
  EXPECT_FALSE(clock->description().counts_core_cycles);
  SamplerOptions options;
  options.seconds = 0.001;
  options.elapsed_seconds = 0.001;
  const Sampling sampling = sample_calls(worker, a_block, *clock, nullptr, options);
  EXPECT_GE(nanoseconds_per_call(sampling, *clock), device_nanoseconds);
  ASSERT_TRUE(sampling.elapsed);
  EXPECT_GE(sampling.elapsed->nanoseconds_per_byte * 16, device_nanoseconds);
  EXPECT_LT(sampling.elapsed->cpu_share, 0.5);
}

}  // namespace
}  // namespace aesgate
