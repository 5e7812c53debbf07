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
      sizes.back().times.push_back((call + per_byte * static_cast<double>(bytes)) * (scatter == 0 ? 1 : noise(random)));
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
  EXPECT_LT(line.per_byte.low, 0.25);
  EXPECT_GT(line.per_byte.high, 0.25);
  EXPECT_LT(line.per_byte.high - line.per_byte.low, 0.25 * 0.03);
  EXPECT_LT(line.call.low, 50);
  EXPECT_GT(line.call.high, 50);
}

TEST(CallLine, WhatShortCallsCostMoreIsNotInTheSlope) {
  std::vector<CallTimes> sizes = samples(50, 0.25);
  for (double& time : sizes[0].times) time += 1000;
  for (double& time : sizes[2].times) time += 30;
  const CallLine line = fit_line(sizes).value();
  EXPECT_DOUBLE_EQ(line.per_byte.value, 0.25);
  EXPECT_DOUBLE_EQ(line.call.value, 80);
}

TEST(CallLine, OneSizeThatCameOutWrongDoesNotMoveItFar) {
  std::vector<CallTimes> sizes = samples(50, 0.25);
  sizes.push_back({4096, std::vector<double>(101, 50 + 0.25 * 4096)});
  sizes.push_back({12288, std::vector<double>(101, 50 + 0.25 * 12288)});
  for (double& time : sizes[4].times) time *= 1.5;  // 8192
  EXPECT_NEAR(fit_line(sizes).value().per_byte.value, 0.25, 0.25 * 0.001);
}

TEST(CallLine, TwoSizesAreEnoughAndOneIsNot) {
  EXPECT_DOUBLE_EQ(fit_line({{16384, {4146}}, {16, {54}}}).value().per_byte.value, 0.25);
  EXPECT_FALSE(fit_line({{16384, {4146}}}));
  EXPECT_FALSE(fit_line({{16384, {4146}}, {16, {}}}));
  EXPECT_FALSE(fit_line({}));
}

}  // namespace
}  // namespace aesgate
