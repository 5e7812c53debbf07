#include "perf/gate_statistics.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

TEST(FairCoinTail, IsThatOfTheBinomialDistribution) {
  EXPECT_DOUBLE_EQ(fair_coin_tail(10, 0), 1);
  EXPECT_NEAR(fair_coin_tail(10, 5), 638.0 / 1024, 1e-12);
  EXPECT_NEAR(fair_coin_tail(10, 9), 11.0 / 1024, 1e-12);
  EXPECT_NEAR(fair_coin_tail(10, 10), 1.0 / 1024, 1e-12);
  EXPECT_NEAR(fair_coin_tail(12, 11), 13.0 / 4096, 1e-12);
  EXPECT_NEAR(fair_coin_tail(0, 0), 1, 1e-12);
  EXPECT_EQ(fair_coin_tail(3, 4), 0) << "there is no such throw";
}

TEST(SignTest, CountsWhatIsAboveOrBelowAndNotByHowMuch) {
  const std::vector<double> values{0.1, 0.2, 5, 1000, -3};
  EXPECT_DOUBLE_EQ(chance_of_so_many_above(values, 0), fair_coin_tail(5, 4));
  EXPECT_DOUBLE_EQ(chance_of_so_many_above(values, 0.2), fair_coin_tail(5, 2)) << "at the limit is not above it";
  EXPECT_DOUBLE_EQ(chance_of_so_many_below(values, 0.2), fair_coin_tail(5, 2));
  EXPECT_DOUBLE_EQ(chance_of_so_many_above({}, 0), 1) << "nothing shows nothing";
  EXPECT_DOUBLE_EQ(chance_of_so_many_below({}, 0), 1);
}

// The example of Holm's paper, section 3, in form: each step compares with one hypothesis less, and the first that
// holds ends it.
TEST(Holm, StepsDown) {
  EXPECT_EQ(holm(std::vector{0.01, 0.04, 0.03, 0.005}, 0.05), (std::vector{true, false, false, true}));
  EXPECT_EQ(holm(std::vector{0.04}, 0.05), std::vector{true});
  EXPECT_EQ(holm(std::vector{0.04, 0.04}, 0.05), (std::vector{false, false}));
  EXPECT_EQ(holm(std::vector{0.0249, 0.05}, 0.05), (std::vector{true, true}));
  EXPECT_TRUE(holm({}, 0.05).empty());
}

// Clopper and Pearson's intervals, as in the tables of every statistics package.
TEST(Proportion, HasTheExactInterval) {
  const auto expect = [](std::size_t count, std::size_t of, double low, double high) {
    const Proportion result = proportion(count, of);
    EXPECT_NEAR(result.low, low, 5e-5) << count << " of " << of;
    EXPECT_NEAR(result.high, high, 5e-5) << count << " of " << of;
  };
  expect(0, 10, 0, 0.3085);
  expect(5, 10, 0.1871, 0.8129);
  expect(10, 10, 0.6915, 1);
  expect(1, 100, 0.0003, 0.0545);
  expect(0, 0, 0, 1);
}

}  // namespace
}  // namespace aesgate
