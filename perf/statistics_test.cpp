#include "perf/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

TEST(Quantile, IsLinearBetweenNeighbours) {
  const std::vector<double> values{1, 2, 3, 4, 10};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 7.6);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 10);
}

TEST(Median, IsTheMiddleOrBetweenTheTwoMiddles) {
  EXPECT_DOUBLE_EQ(median({7}), 7);
  EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 9}), 3);
}

// The ranks are in every table of nonparametric statistics, counted there from 1: 6 values: 1 and 6 with
// 96.875%; 10: 2 and 9 with 97.9%; 20: 6 and 15 with 95.9%; 100: 40 and 61 with 96.5%.
TEST(MedianRanks, AreThoseOfTheTables) {
  const struct {
    std::size_t samples, low, high;
    double confidence;
  } table[] = {{6, 1, 6, 0.96875}, {10, 2, 9, 0.978516}, {20, 6, 15, 0.958611}, {100, 40, 61, 0.964800}};
  for (const auto& row : table) {
    const MedianRanks ranks = median_ranks(row.samples, 0.95);
    EXPECT_EQ(ranks.low + 1, row.low) << row.samples;
    EXPECT_EQ(ranks.high + 1, row.high) << row.samples;
    EXPECT_NEAR(ranks.confidence, row.confidence, 1e-6) << row.samples;
  }
}

TEST(MedianRanks, AreTheWholeRangeAndSaySoWhenThereAreTooFewSamples) {
  const MedianRanks five = median_ranks(5, 0.95);
  EXPECT_EQ(five.low, 0u);
  EXPECT_EQ(five.high, 4u);
  EXPECT_NEAR(five.confidence, 0.9375, 1e-12);
  EXPECT_EQ(median_ranks(1, 0.95).confidence, 0);
}

TEST(MedianRanks, HoldForManySamples) {
  const MedianRanks ranks = median_ranks(100'000, 0.95);
  EXPECT_GE(ranks.confidence, 0.95);
  EXPECT_LT(ranks.confidence, 0.951);
  EXPECT_NEAR(static_cast<double>(ranks.low), 50'000 - 1.96 * 158.11, 3);  // sqrt(n) / 2 is 158.11
}

TEST(Estimate, OfKnownValues) {
  const Estimate e = estimate({10, 1, 3, 2, 4, 100, 5});
  EXPECT_EQ(e.samples, 7u);
  EXPECT_DOUBLE_EQ(e.median, 4);
  EXPECT_DOUBLE_EQ(e.lower_quartile, 2.5);
  EXPECT_DOUBLE_EQ(e.upper_quartile, 7.5);
  EXPECT_DOUBLE_EQ(e.deviation, 2);  // of 0 1 1 2 3 6 96
  EXPECT_DOUBLE_EQ(e.low, 1);
  EXPECT_DOUBLE_EQ(e.high, 100);
  EXPECT_NEAR(e.confidence, 0.984375, 1e-12);
}

TEST(Estimate, OfOneValueIsThatValueWithoutConfidence) {
  const Estimate e = estimate({2.5});
  EXPECT_DOUBLE_EQ(e.median, 2.5);
  EXPECT_DOUBLE_EQ(e.low, 2.5);
  EXPECT_DOUBLE_EQ(e.high, 2.5);
  EXPECT_EQ(e.confidence, 0);
}

// The claim itself: over many draws, from a skewed distribution, the interval covers the median as often as it says.
TEST(Estimate, IntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> skewed(1.0);
  const double truth = std::log(2.0);
  constexpr int draws = 4000;
  int covered = 0;
  double promised = 0;
  for (int i = 0; i < draws; ++i) {
    std::vector<double> values(31);
    std::ranges::generate(values, [&] { return skewed(random); });
    const Estimate e = estimate(std::move(values));
    covered += e.low <= truth && truth <= e.high;
    promised = e.confidence;
  }
  EXPECT_GE(promised, 0.95);
  EXPECT_NEAR(static_cast<double>(covered) / draws, promised, 0.015);  // more than four standard errors
}

}  // namespace
}  // namespace aesgate
