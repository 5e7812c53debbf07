#include "perf/call_line.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

/// Samples about call + per_byte × bytes, with a relative scatter.
std::vector<CallTimes> samples(double call, double per_byte, double scatter = 0) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, scatter);
  std::vector<CallTimes> sizes;
  for (const std::size_t bytes : std::vector<std::size_t>{16, 64, 256, 1024, 8192, 16384}) {
    sizes.push_back({bytes, {}});
    for (int i = 0; i < 101; ++i)
      sizes.back().times.push_back(
          {(call + per_byte * static_cast<double>(bytes)) * (scatter == 0 ? 1 : noise(random)), 0});
  }
  return sizes;
}

TEST(CallLine, SlopeAndCostOfACall) {
  const CallLine line = fit_line(samples(50, 0.25)).value();
  EXPECT_DOUBLE_EQ(line.per_byte.value, 0.25);
  EXPECT_DOUBLE_EQ(line.call.value, 50);
  EXPECT_DOUBLE_EQ(line.per_byte.low, 0.25);
  EXPECT_DOUBLE_EQ(line.per_byte.high, 0.25);
  EXPECT_EQ(line.from_bytes, 1024u);
  EXPECT_EQ(line.to_bytes, 16384u);
}

TEST(CallLine, ItsIntervalsHoldTheTruthAndAreNoWiderThanTheScatter) {
  const CallLine line = fit_line(samples(50, 0.25, 0.02)).value();
  const double quartile = 1 - 0.6745 * 0.02;  // of a normal distribution
  EXPECT_LT(line.per_byte.low, 0.25 * quartile);
  EXPECT_GT(line.per_byte.high, 0.25 * quartile);
  EXPECT_LT(line.per_byte.high - line.per_byte.low, 0.25 * 0.03);
  EXPECT_LT(line.call.low, 50 * quartile);
  EXPECT_GT(line.call.high, 50 * quartile);
}

/// Twelve rounds, of which those from `first_slow` on run a tenth slower.
std::vector<CallTimes> slower_rounds(std::size_t first_slow) {
  std::vector<CallTimes> sizes;
  for (const std::size_t bytes : std::vector<std::size_t>{1024, 16384}) {
    sizes.push_back({bytes, {}});
    for (std::size_t round = 0; round < 12; ++round)
      for (int i = 0; i < 20; ++i)
        sizes.back().times.push_back({0.25 * static_cast<double>(bytes) * (round < first_slow ? 1 : 1.1), round});
  }
  return sizes;
}

TEST(CallLine, ItIsThatOfTheFasterRoundsWhileAQuarterAreFast) {
  for (const std::size_t first_slow : {4u, 6u, 8u, 12u})
    EXPECT_DOUBLE_EQ(fit_line(slower_rounds(first_slow)).value().per_byte.value, 0.25);
  EXPECT_GT(fit_line(slower_rounds(2)).value().per_byte.value, 0.25 * 1.05);
}

// Samples that are all alike within a round would say that nothing is open.
TEST(CallLine, AnIntervalHoldsWhatDiffersFromRoundToRound) {
  const CallLine open = fit_line(slower_rounds(4)).value();
  EXPECT_LE(open.per_byte.low, 0.25);
  EXPECT_GE(open.per_byte.high, 0.25 * 1.09);
  const CallLine alike = fit_line(slower_rounds(12)).value();
  EXPECT_DOUBLE_EQ(alike.per_byte.high, alike.per_byte.low);
}

TEST(CallLine, WhatShortCallsCostMoreIsNotInTheSlope) {
  std::vector<CallTimes> sizes = samples(50, 0.25);
  for (CallTime& sample : sizes[0].times) sample.time += 1000;
  for (CallTime& sample : sizes[2].times) sample.time += 30;
  const CallLine line = fit_line(sizes).value();
  EXPECT_DOUBLE_EQ(line.per_byte.value, 0.25);
  EXPECT_DOUBLE_EQ(line.call.value, 80);
}

TEST(CallLine, OneSizeThatCameOutWrongDoesNotMoveItFar) {
  std::vector<CallTimes> sizes = samples(50, 0.25);
  sizes.push_back({4096, std::vector<CallTime>(101, {50 + 0.25 * 4096, 0})});
  sizes.push_back({12288, std::vector<CallTime>(101, {50 + 0.25 * 12288, 0})});
  for (CallTime& sample : sizes[4].times) sample.time *= 1.5;  // 8192
  EXPECT_NEAR(fit_line(sizes).value().per_byte.value, 0.25, 0.25 * 0.001);
}

TEST(CallLine, TwoSizesAreEnoughAndOneIsNot) {
  EXPECT_DOUBLE_EQ(fit_line({{16384, {{4146, 0}}}, {16, {{54, 0}}}}).value().per_byte.value, 0.25);
  EXPECT_FALSE(fit_line({{16384, {{4146, 0}}}}));
  EXPECT_FALSE(fit_line({{16384, {{4146, 0}}}, {16, {}}}));
  EXPECT_FALSE(fit_line({}));
}

}  // namespace
}  // namespace aesgate
