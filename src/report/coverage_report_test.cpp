#include "report/coverage_report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/console.h"
#include "report/coverage_minimum.h"
#include "report/example_run_test.h"
#include "report/json.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

constexpr Shape shape{Mode::cbc, Direction::encrypt, KeySize::bits128};

/// The example run, of which "alpha" did nothing wrong, as one that has boundary Cases of one shape.
class CoverageReport : public testing::Test {
 protected:
  CoverageReport() : record_(run_.folder) {
    run_.summary.stages = {{"fuzz", {Suite::boundary, Suite::random}}};
    run_.summary.plan.modes = {shape.mode};
    run_.summary.plan.key_sizes = {shape.key_size};
    run_.summary.backends.resize(1);
  }

  void judge(const Shape& of, std::vector<std::size_t> chunks) {
    Case c = make_case(of, Key(of.key_size), Block{}, Bytes(48), 48);
    c.chunks = std::move(chunks);
    record_.judged(Suite::boundary, run_.alpha, c, {});
  }

  [[nodiscard]] std::vector<ShapeCoverage> coverage() const {
    return coverage_of(run_.summary, run_.summary.backends.front(), record_);
  }

  ExampleRun run_;
  Record record_;
};

TEST_F(CoverageReport, AShapeThatNeverRanIsShortOfEveryClass) {
  const auto shapes = coverage();
  ASSERT_EQ(shapes.size(), 2u);  // in both directions
  EXPECT_EQ(shapes[0].planned, 0u);
  EXPECT_GT(shapes[0].classes, 100u);
  EXPECT_EQ(shapes[0].short_of.size(), shapes[0].classes);
}

TEST_F(CoverageReport, WhatTheBackendDoesNotDoIsNotStated) {
  record_.not_run(Suite::boundary, run_.alpha, shape, Verdict::unsupported, "no");
  ASSERT_EQ(coverage().size(), 1u);
  EXPECT_EQ(coverage()[0].shape.direction, Direction::decrypt);
  run_.summary.backends.front().why_unavailable = "not here";
  EXPECT_TRUE(coverage().empty());
  EXPECT_THAT(to_console(run_.summary, record_, false), testing::Not(HasSubstr("Boundary cases")));
}

TEST_F(CoverageReport, TooFewIsNoPassAndTheLineSaysOfWhat) {
  judge(shape, {48});
  judge({shape.mode, Direction::decrypt, shape.key_size}, {16, 32});
  record_.boundary_done(run_.alpha, shape, 1, 1);
  const Conclusion conclusion = conclude(run_.summary, record_);
  EXPECT_EQ(conclusion.exit_status, 3);
  EXPECT_EQ(conclusion.verdict, "too few cases");
  EXPECT_THAT(conclusion.sentence, HasSubstr("NOT PROVEN: fewer boundary cases ran than must: alpha CBC encrypt 128: 0 "
                                             "blocks, one call: 0 cases, at least "));
  EXPECT_THAT(conclusion.sentence, HasSubstr(" more shortfalls)"));
  const std::string text = to_console(run_.summary, record_, false);
  EXPECT_THAT(text, HasSubstr("backend  cases  of  shapes  classes  too few in\n"));
  EXPECT_THAT(text, HasSubstr("too few: alpha CBC encrypt 128: 0 blocks, one call: 0 cases, at least "));
  EXPECT_THAT(text, HasSubstr(" more in alpha\n"));
}

TEST_F(CoverageReport, AFailureIsTheVerdictAllTheSame) {
  record_.judged(Suite::boundary, run_.alpha, make_case(shape, Key(), Block{}, Bytes(16), 16),
                 {Verdict::mismatch, "wrong", {}});
  EXPECT_EQ(conclude(run_.summary, record_).exit_status, 1);
}

TEST_F(CoverageReport, ASlowBackendHasAMinimumOfItsOwn) {
  judge(shape, {48});
  record_.boundary_done(run_.alpha, shape, 1, 2000);
  const auto short_of = coverage()[0].short_of;
  EXPECT_THAT(short_of, testing::Contains("2-3 blocks, cut at block edges: 0 cases, at least 1"));
  EXPECT_THAT(short_of, testing::Not(testing::Contains(HasSubstr("2-3 blocks, one call"))));
}

TEST_F(CoverageReport, JsonHasEveryClass) {
  judge(shape, {16, 0, 32});
  record_.boundary_done(run_.alpha, shape, 1, 1);
  const auto json = nlohmann::json::parse(to_json(run_.summary, record_));
  const auto& coverage = json["backends"][0]["coverage"][0];
  EXPECT_EQ(coverage["shape"], "CBC encrypt 128");
  EXPECT_EQ(coverage["boundary_cases"], 1);
  EXPECT_EQ(coverage["of"], 1);
  EXPECT_EQ(coverage["too_few"].size(), coverage["classes"]);
  const auto& size = coverage["sizes"]["2-3 blocks"];
  EXPECT_EQ(size["cases"], 1);
  EXPECT_EQ(size["splits"]["cut at block edges"], 1);
  EXPECT_EQ(size["splits"]["with empty calls"], 1);
  EXPECT_EQ(size["traits"]["input at start"], 1);
  EXPECT_FALSE(size["splits"].contains("one call"));
}

TEST_F(CoverageReport, ARunWithoutBoundaryCasesStatesNothing) {
  run_.summary.stages = {{"kat", {Suite::cavp}}};
  EXPECT_FALSE(states_coverage(run_.summary));
  const auto json = nlohmann::json::parse(to_json(run_.summary, record_));
  EXPECT_TRUE(json["backends"][0]["coverage"].empty());
}

}  // namespace
}  // namespace aesgate
