#include "perf/pair_sampler.h"

#include <csignal>
#include <cstring>

#include <gmock/gmock.h>

#include "perf/fake_clock.h"
#include "perf/gate_launch.h"

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Backends on whose clock a call takes so many units; not AES, since the sampler asks no oracle.
struct Script {
  FakeClock* clock = nullptr;
  double units = 0;
  std::size_t calls = 0, crash_at = 0;
  const std::uint8_t *in = nullptr, *out = nullptr;
};
Script scripts[2];
std::vector<int> order;  // whose sample, each time that it is another one's than before

template <int which>
int update(void*, const std::uint8_t* in, std::uint8_t* out, std::size_t) {
  Script& script = scripts[which];
  if (++script.calls == script.crash_at) std::raise(SIGSEGV);
  script.in = in;
  script.out = out;
  if (order.empty() || order.back() != which) order.push_back(which);
  if (script.clock != nullptr) script.clock->pass(script.units);
  // Long enough that a fake sample is not of very many calls.
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < 500; ++i) sum = sum + i;
  return AESGATE_OK;
}

template <int which>
aesgate_backend scripted() {
  aesgate_backend backend{};
  backend.name = which == 0 ? "before" : "after";
  backend.update_for = [](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return update<which>; };
  backend.context_size = [](const aesgate_backend*, const aesgate_shape*) { return std::size_t{16}; };
  backend.context_align = 16;
  backend.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) {
    return int{AESGATE_OK};
  };
  backend.finish = [](void*) {};
  return backend;
}

Pairing sample(FakeClock& clock, double before, double after, PairOptions options = {}, bool in_place = false,
               std::size_t crash_at = 0) {
  scripts[0] = {&clock, before};
  scripts[1] = {&clock, after, 0, crash_at};
  order.clear();
  const aesgate_backend baseline = scripted<0>();
  const aesgate_backend candidate = scripted<1>();
  return sample_pairs(baseline, candidate, {{}, 64, in_place}, clock, nullptr, options);
}

TEST(PairSampler, TellsWhatTheCallsTakeWithoutTheClocksOverhead) {
  FakeClock clock(false, 100);
  const Pairing pairing = sample(clock, 500, 510);
  ASSERT_EQ(pairing.verdict, Verdict::agree) << pairing.reason;
  ASSERT_GE(pairing.pairs.size(), least_pairs);
  const auto calls = static_cast<double>(pairing.calls_per_sample);
  for (const Pair& pair : pairing.pairs) {
    EXPECT_DOUBLE_EQ(pair.baseline, 500 * calls);
    EXPECT_DOUBLE_EQ(pair.candidate, 510 * calls);
  }
}

TEST(PairSampler, TakesAsManyPairsOneWayRoundAsTheOtherInAnOrderThatTheSeedDraws) {
  FakeClock clock;
  (void)sample(clock, 500, 500, {.pairs = 40, .most_seconds = 10});
  const std::vector<int> first = order;
  (void)sample(clock, 500, 500, {.pairs = 40, .most_seconds = 10});
  EXPECT_EQ(order, first) << "the same seed";
  (void)sample(clock, 500, 500, {.pairs = 40, .most_seconds = 10, .seed = 2});
  EXPECT_NE(order, first);
  // Two that follow each other in one order leave one change, in the other order none: neither always comes first.
  EXPECT_LT(first.size(), 75u);
  EXPECT_GT(first.size(), 45u);
}

TEST(PairSampler, BothWorkOnTheSameBuffers) {
  FakeClock clock;
  for (const bool in_place : {false, true}) {
    (void)sample(clock, 500, 500, {}, in_place);
    EXPECT_EQ(scripts[0].in, scripts[1].in);
    EXPECT_EQ(scripts[0].out, scripts[1].out);
    EXPECT_EQ(scripts[0].in == scripts[0].out, in_place);
  }
}

TEST(PairSampler, SlowCallsGetFewerPairsButEnough) {
  FakeClock clock;
  const Pairing pairing = sample(clock, 2e8, 2e8, {.pairs = 60, .most_seconds = 0.03});
  EXPECT_EQ(pairing.pairs.size(), least_pairs) << "a call takes 0.1 s of the fake clock";
}

TEST(PairSampler, ACandidateThatIsAHundredTimesSlowerDoesNotTakeAHundredTimesAsLong) {
  FakeClock clock;
  const Pairing like = sample(clock, 500, 500);
  const Pairing slow = sample(clock, 500, 50'000);
  ASSERT_EQ(slow.verdict, Verdict::agree);
  EXPECT_LT(slow.calls_per_sample * 5, like.calls_per_sample);
  EXPECT_NEAR(*summarise(slow).change, 99, 1e-9);
}

TEST(PairSampler, SaysWhichOfTheTwoCrashed) {
  FakeClock clock;
  const Pairing pairing = sample(clock, 500, 500, {}, false, 1);
  EXPECT_EQ(pairing.verdict, Verdict::crashed);
  EXPECT_THAT(pairing.reason, StartsWith("candidate: "));
  EXPECT_THAT(pairing.reason, HasSubstr("SIGSEGV"));
}

TEST(PairSampler, WhatIsPlantedShows) {
  // On the real clock, and so large that a busy machine does not hide it.
  const std::unique_ptr<Clock> clock = monotonic_clock();
  scripts[0] = scripts[1] = {};
  const aesgate_backend baseline = scripted<0>();
  const aesgate_backend candidate = scripted<1>();
  const PairSummary summary = summarise(
      sample_pairs(baseline, candidate, {{}, 64, false}, *clock, nullptr, {.most_seconds = 1, .planted = 0.5}));
  if (!summary.change) GTEST_SKIP() << "other threads had the CPU in most pairs";
  EXPECT_GT(*summary.change, 0.25);
  EXPECT_LT(*summary.change, 1);
}

Pairing pairing_of(std::size_t calibrated, std::size_t not_calibrated, std::size_t lost_cpu) {
  Pairing pairing;
  pairing.calls_per_sample = 10;
  for (std::size_t i = 0; i < calibrated; ++i) pairing.pairs.push_back({1000, 1020, true, Calibrated{0.5, 6}});
  for (std::size_t i = 0; i < not_calibrated; ++i) pairing.pairs.push_back({2000, 2080, true, {}});
  for (std::size_t i = 0; i < lost_cpu; ++i) pairing.pairs.push_back({1000, 90000, false, {}});
  return pairing;
}

TEST(PairSummary, UsesThePairsThatAreCalibratedIfTheyAreMost) {
  const PairSummary summary = summarise(pairing_of(40, 20, 5));
  EXPECT_EQ(summary.taken, 65u);
  EXPECT_EQ(summary.calibrated, 40u);
  EXPECT_EQ(summary.used, 40u);
  EXPECT_NEAR(*summary.change, 0.02, 1e-12);
  EXPECT_DOUBLE_EQ(summary.baseline_units, 100);
  EXPECT_DOUBLE_EQ(*summary.baseline_cycles, 200);
}

TEST(PairSummary, ElseAllThatKeptTheirCpuAndNoCycles) {
  const PairSummary summary = summarise(pairing_of(10, 40, 30));
  EXPECT_EQ(summary.used, 50u);
  EXPECT_NEAR(*summary.change, 0.04, 1e-12);
  EXPECT_FALSE(summary.baseline_cycles);
}

TEST(PairSummary, OfTooFewSaysNothing) {
  EXPECT_FALSE(summarise(pairing_of(0, least_pairs - 1, 40)).change);
  EXPECT_FALSE(summarise({}).change);
}

TEST(LaunchMessages, ComeBackAsTheyWere) {
  LaunchRequest request{"/a b/\xff old.so", "new.so", "aesni", "example:sbox=computed", ~std::uint64_t{0}, 7, 0.25, {}};
  request.cells.push_back(
      {{{Mode::cfb8, Direction::decrypt, KeySize::bits192}, 48, true, 9}, LaunchCell::With::own_copy, 0.02});
  const auto read = read_request(to_text(request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_text(*read), to_text(request));
  EXPECT_EQ(read->baseline, request.baseline) << "a path is bytes";
  EXPECT_EQ(read->seed, request.seed);
  EXPECT_EQ(read->cells[0].workload.shape, request.cells[0].workload.shape);

  Launched launched;
  launched.clock = "fake";
  launched.cells.push_back({Verdict::mismatch, "after \x01 \xff", {60, 50, 40, 0.01, 123, {}}, {}});
  const auto seen = read_launched(to_text(launched));
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->cells[0].verdict, Verdict::mismatch);
  EXPECT_EQ(seen->cells[0].summary.change, 0.01);
  EXPECT_FALSE(seen->cells[0].summary.baseline_cycles);
}

TEST(LaunchMessages, WhatIsNoneIsAnError) {
  for (const char* text : {"", "{}", "[1, 2]", "nonsense", R"({"cells": 3})"}) {
    EXPECT_FALSE(read_request(text)) << text;
    EXPECT_FALSE(read_launched(text)) << text;
  }
  Launched launched;
  launched.cells.emplace_back();
  std::string text = to_text(launched);
  const std::string verdict = "\"verdict\":0";
  text.replace(text.find(verdict), verdict.size(), "\"verdict\":77");
  EXPECT_FALSE(read_launched(text));
}

}  // namespace
}  // namespace aesgate
