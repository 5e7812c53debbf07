#include "perf/crossover.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include "oracle/oracle.h"

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Pairs of A, which takes `a` + bytes, and B, which takes `b` + `slope` × bytes, with a scatter of 5% of each ratio.
std::vector<RatioAtSize> ratios(double a, double b, double slope) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  std::vector<RatioAtSize> sizes;
  for (std::size_t bytes = 16; bytes <= 65536; bytes *= 2) {
    const auto n = static_cast<double>(bytes);
    sizes.push_back({bytes, {}});
    for (int i = 0; i < 60; ++i) sizes.back().ratios.push_back((b + slope * n) / (a + n) * noise(random));
  }
  return sizes;
}

TEST(Crossover, IsWhereTheTimesAreEqual) {
  // 10 + n = 760 + n / 4 at 1000.
  const Crossover found = find_crossover(ratios(10, 760, 0.25));
  EXPECT_EQ(found.answer, Crossover::Answer::from);
  EXPECT_NEAR(found.bytes, 1000, 60);
  EXPECT_LT(found.low, found.bytes);
  EXPECT_GT(found.high, found.bytes);
  EXPECT_LT(found.high - found.low, 200);
}

TEST(Crossover, AlwaysAndNever) {
  EXPECT_EQ(find_crossover(ratios(10, 5, 0.5)).answer, Crossover::Answer::always);
  const Crossover never = find_crossover(ratios(10, 50, 1.5));
  EXPECT_EQ(never.answer, Crossover::Answer::never);
  EXPECT_EQ(never.low, infinity);
}

TEST(Crossover, WhereTheSmallestSizesCannotBeToldApartTheIntervalSaysSo) {
  std::vector<RatioAtSize> sizes = ratios(10, 5, 0.5);
  for (std::size_t i = 0; i < sizes[0].ratios.size(); ++i) sizes[0].ratios[i] = i % 2 == 0 ? 0.94 : 1.05;
  const Crossover found = find_crossover(sizes);
  EXPECT_EQ(found.answer, Crossover::Answer::from);
  EXPECT_EQ(found.low, 0);
  EXPECT_GT(found.high, 16);
  EXPECT_LT(found.high, 32);
}

TEST(Crossover, EqualsAndTurnsAreUnclear) {
  std::vector<RatioAtSize> equal = ratios(10, 10, 1);
  for (RatioAtSize& size : equal)
    for (std::size_t i = 0; i < size.ratios.size(); ++i) size.ratios[i] = i % 2 == 0 ? 0.95 : 1.05;
  EXPECT_EQ(find_crossover(equal).answer, Crossover::Answer::unclear);
  std::vector<RatioAtSize> turns = ratios(10, 5, 0.5);
  for (double& ratio : turns[6].ratios) ratio = 2;
  EXPECT_EQ(find_crossover(turns).answer, Crossover::Answer::unclear);
  EXPECT_EQ(find_crossover({}).answer, Crossover::Answer::unclear);
}

CrossoverReport report_of(Crossover crossover, const std::string& b) {
  CrossoverReport report;
  report.a = "openssl";
  report.b = b;
  CrossoverResult result;
  result.shape = {Mode::cbc, Direction::encrypt, KeySize::bits256};
  for (const std::size_t bytes : {std::size_t{16}, std::size_t{65536}}) result.sizes.push_back({bytes, {}, 100});
  result.crossover = crossover;
  report.results.push_back(result);
  return report;
}

TEST(Crossover, SaysTheAnswerAndTheLineOfTheEngine) {
  const std::string text = to_text(report_of({Crossover::Answer::from, 1001, 0, 1100}, "af_alg"));
  EXPECT_THAT(text, HasSubstr("CBC encrypt 256: af_alg is faster from 1001 bytes a call on (95% interval: below 16 to "
                              "1100)\n"));
  EXPECT_THAT(text, HasSubstr(": CIPHERS=AES-256-CBC:1008\n"));
  EXPECT_THAT(to_text(report_of({Crossover::Answer::always, 0, 0, 0}, "af_alg")), HasSubstr("CIPHERS=AES-256-CBC:0\n"));
  EXPECT_THAT(to_text(report_of({Crossover::Answer::never, infinity, infinity, infinity}, "af_alg")),
              HasSubstr("never: openssl is faster at every size up to 65536 bytes"));
  EXPECT_THAT(to_text(report_of({Crossover::Answer::from, 1001, 950, 1100}, "vaes512")), Not(HasSubstr("CIPHERS")));
}

TEST(Crossover, AStandInConfiguresNothing) {
  CrossoverReport report = report_of({Crossover::Answer::from, 1001, 950, 1100}, "af_alg");
  report.emulated = true;
  EXPECT_THAT(to_text(report), HasSubstr("EMULATED: "));
  EXPECT_THAT(to_text(report), Not(HasSubstr("CIPHERS")));
}

class CrossoverRun : public testing::Test {
 protected:
  CrossoverRun() {
    plan_.modes = {Mode::ecb};
    options_.sizes = {16, 64};
    options_.directions = {Direction::encrypt};
    options_.pairs = 15;
  }
  Plan plan_;
  CrossoverOptions options_;
  Record record_{std::filesystem::path()};
};

int twice(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  const aesgate_shape shape{AESGATE_ECB, AESGATE_ENCRYPT, 128, 0};
  const auto update = fips197_oracle().update_for(&fips197_oracle(), &shape);
  update(context, in, out, length);
  return update(context, in, out, length);
}

TEST_F(CrossoverRun, ABackendThatDoesItTwiceNeverPays) {
  aesgate_backend slow = fips197_oracle();
  slow.name = "slow";
  slow.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    return fips197_oracle().update_for(&fips197_oracle(), shape) == nullptr ? nullptr : twice;
  };
  plan_.backends = {&fips197_oracle(), &slow};
  const auto report = run_crossover(plan_, options_, record_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->results.at(0).crossover.answer, Crossover::Answer::never) << to_text(*report);
  EXPECT_NEAR(report->results[0].sizes.at(1).ratio.median, 2, 0.5);
  EXPECT_EQ(exit_status(*report), 0);
  EXPECT_EQ(record_.done(), 4u);
}

TEST_F(CrossoverRun, AWrongBackendHasNone) {
  aesgate_backend wrong = fips197_oracle();
  wrong.name = "wrong";
  wrong.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    if (fips197_oracle().update_for(&fips197_oracle(), shape) == nullptr) return nullptr;
    return [](void*, const std::uint8_t*, std::uint8_t*, std::size_t) -> int { return AESGATE_OK; };
  };
  plan_.backends = {&fips197_oracle(), &wrong};
  const auto report = run_crossover(plan_, options_, record_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->results.at(0).verdict, Verdict::mismatch);
  EXPECT_TRUE(report->results[0].sizes.empty());
  EXPECT_THAT(to_text(*report), HasSubstr("ECB encrypt 128: not measured, mismatch: wrong, 16 bytes: "));
  EXPECT_EQ(exit_status(*report), 1);
}

TEST_F(CrossoverRun, TakesTwoBackendsAndSizesThatTheModesTake) {
  plan_.backends = {&fips197_oracle()};
  EXPECT_EQ(run_crossover(plan_, options_, record_).error().message, "crossover: it takes two backends, not 1");
  plan_.backends = {&fips197_oracle(), &fips197_oracle()};
  options_.sizes = {17};
  EXPECT_THAT(run_crossover(plan_, options_, record_).error().message, HasSubstr("ECB takes multiples of 16"));
}

}  // namespace
}  // namespace aesgate
