#include "perf/gate_counts.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/plugin.h"
#include "core/registry.h"
#include "perf/gate_report.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using enum GateVerdict;

Workload workload(std::size_t bytes) { return {{Mode::cbc, Direction::decrypt, KeySize::bits128}, bytes}; }

CellCounts counts(std::size_t baseline, std::size_t candidate, std::size_t bytes = 16, bool same = false) {
  return {bytes, {}, baseline, candidate, 10, 10, same};
}

/// A result whose launches came to these verdicts, of changes of half a percent; its sentinels held.
GateResult result_of(GateVerdict verdict, const std::vector<GateVerdict>& cells, double change = 0.005) {
  GateResult result;
  result.baseline = result.candidate = "mine";
  result.verdict = verdict;
  result.reason = "by time";
  result.launches = 20;
  for (const GateVerdict of_cell : cells) {
    GateCell& cell = result.cells.emplace_back();
    cell.workload = workload(16);
    cell.verdict = of_cell;
    if (of_cell != pass) cell.reason = "neither";
    cell.change = GateCell::Change{change, change - 0.02, change + 0.02};
  }
  result.own_copy.verdict = pass;
  result.with_planted.verdict = regressed;
  return result;
}

constexpr CountRules no_threshold{std::nullopt, 0.0075};
constexpr CountRules five_percent{0.05, 0.0075};

TEST(GateCounts, AreShownAndNoVerdictUnlessAThresholdIsGiven) {
  GateResult result = result_of(pass, {pass, pass});
  apply_counts(result, {counts(41, 48), counts(100, 90)}, no_threshold);
  EXPECT_EQ(result.verdict, pass);
  EXPECT_EQ(result.count(pass), 2u);
  EXPECT_THAT(counts_text(result),
              AllOf(HasSubstr("counted in 2 of 2 cells: as many in 0, more in 1, fewer in 1"),
                    HasSubstr("CBC decrypt 128, 16 bytes: 41 to 48 instructions (+17.07%)"), HasSubstr("(-10.00%)")));
}

TEST(GateCounts, MoreThanTheThresholdIsARegressionOnANoisyMachineToo) {
  for (const GateVerdict by_time : {pass, inconclusive, invalid}) {
    GateResult result = result_of(by_time, {pass, inconclusive});
    apply_counts(result, {counts(100, 105), counts(100, 106)}, five_percent);
    EXPECT_EQ(result.verdict, regressed);
    EXPECT_EQ(result.cells[0].verdict, pass);
    EXPECT_EQ(result.cells[1].verdict, regressed);
    EXPECT_EQ(result.cells[1].reason, "executes more by over 5%: 100 to 106 instructions (+6.00%)");
  }
}

TEST(GateCounts, WhatIsWrongStaysWrong) {
  GateResult result = result_of(wrong, {pass});
  apply_counts(result, {counts(100, 200)}, five_percent);
  EXPECT_EQ(result.verdict, wrong);
}

TEST(GateCounts, AnOpenCellPassesIfItExecutesTheSameAtTheSamePlaces) {
  GateResult result = result_of(inconclusive, {pass, inconclusive});
  apply_counts(result, {counts(100, 100), counts(100, 100, 16, true)}, no_threshold);
  EXPECT_EQ(result.verdict, pass);
  EXPECT_EQ(result.cells[1].verdict, pass);
  EXPECT_EQ(result.cells[1].reason, "");
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_THAT(result.notes[0], HasSubstr("1 of 2 cells were left open by the launches"));
}

TEST(GateCounts, NothingElseMakesAnOpenCellPass) {
  const auto verdict_after = [](GateResult result, const CellCounts& of) {
    apply_counts(result, {of}, no_threshold);
    return result.verdict;
  };
  const CellCounts same = counts(100, 100, 16, true);
  // As many instructions, but others; a shorter call's; a median above the threshold; sentinels that did not hold.
  EXPECT_EQ(verdict_after(result_of(inconclusive, {inconclusive}), counts(100, 100)), inconclusive);
  EXPECT_EQ(verdict_after(result_of(inconclusive, {inconclusive}), counts(100, 100, 8, true)), inconclusive);
  EXPECT_EQ(verdict_after(result_of(inconclusive, {inconclusive}, 0.008), same), inconclusive);
  EXPECT_EQ(verdict_after(result_of(invalid, {inconclusive}), same), invalid);
  GateResult no_sentinel = result_of(inconclusive, {inconclusive});
  no_sentinel.with_planted.verdict = inconclusive;
  EXPECT_EQ(verdict_after(no_sentinel, same), inconclusive);
  GateResult own_copy_open = result_of(inconclusive, {inconclusive});
  own_copy_open.own_copy.verdict = inconclusive;
  EXPECT_EQ(verdict_after(own_copy_open, same), inconclusive);
  // And what was found slower is slower, whatever it executes.
  EXPECT_EQ(verdict_after(result_of(regressed, {regressed}), same), regressed);
}

TEST(GateCounts, AloneTheyPassOnlyWhatWasCounted) {
  const std::vector<Workload> cells{workload(16), workload(256)};
  EXPECT_EQ(judge_counts(cells, {counts(100, 101), counts(7, 7)}, 0.01).verdict, pass);
  EXPECT_EQ(judge_counts(cells, {counts(100, 102), counts(7, 7)}, 0.01).verdict, regressed);
  CellCounts none;
  none.reason = "no time";
  const GateResult open = judge_counts(cells, {counts(100, 100), none}, 0.01);
  EXPECT_EQ(open.verdict, inconclusive);
  EXPECT_EQ(
      open.reason,
      "1 of 2 cells were not counted, such as CBC decrypt 128, 256 bytes: no time; --seconds gives more time, --mode "
      "and --bytes choose fewer or shorter ones, and without --count-only they are timed; nothing was timed");
  EXPECT_THAT(counts_text(open), HasSubstr("; 1 cell not counted: no time"));
}

TEST(GateCounts, AReportHasThem) {
  GateReport report;
  report.results.push_back(judge_counts({workload(16)}, {counts(100, 150)}, 0.01));
  report.results[0].baseline = report.results[0].candidate = "mine";
  EXPECT_THAT(to_table(report, false), AllOf(HasSubstr("+50.00%"), HasSubstr("REGRESSED")));
  EXPECT_THAT(to_markdown(report), HasSubstr("| +50.00% | **REGRESSED** |"));
  const auto json = to_json(report)["results"][0]["cells"][0]["instructions"];
  EXPECT_EQ(json["baseline"], 100);
  EXPECT_EQ(json["candidate"], 150);
  EXPECT_EQ(json["change"], 0.5);
}

TEST(GateCounts, ALostProcessIsTheReason) {
  const Launcher lost = [](const LaunchRequest& request) -> Result<Launched> {
    EXPECT_EQ(request.task, LaunchRequest::Task::counts);
    Launched launched;
    launched.lost = "SIGSEGV ended the process";
    return launched;
  };
  const auto counted = count_cells({}, {workload(16)}, 1, lost);
  ASSERT_TRUE(counted);
  EXPECT_FALSE(counted->at(0).counted());
  EXPECT_EQ(counted->at(0).reason, "SIGSEGV ended the process");
}

TEST(GateCounts, ThroughALaunchTheSameFileTwiceExecutesTheSame) {
  if (const std::string why = witness::why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  const std::string example = std::string(AESGATE_PLUGINS) + "/libexample_plugin.so";
  const LaunchRequest request{example, example, "example", "example", 1, 20, 0.01, {}};
  const auto counted = count_cells(request, {workload(32), workload(16)}, 20, launch_here);
  ASSERT_TRUE(counted) << counted.error().message;
  for (const CellCounts& of : *counted) {
    ASSERT_TRUE(of.counted()) << of.reason;
    EXPECT_EQ(of.baseline, of.candidate);
    EXPECT_TRUE(of.same_execution);
  }
  EXPECT_GT(counted->at(0).baseline, counted->at(1).baseline);
}

TEST(CountPairs, OfOtherCodeIsNotTheSameExecution) {
  if (const std::string why = witness::why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  const auto sbox = find_backend("sbox");
  const auto ttable = find_backend("ttable");
  ASSERT_TRUE(sbox && ttable);
  const CellCounts of = count_pair(**sbox, **ttable, workload(16), {});
  ASSERT_TRUE(of.counted()) << of.reason;
  EXPECT_FALSE(of.same_execution);
  EXPECT_LT(of.candidate, of.baseline);
}

TEST(CountPairs, WhatWouldTakeTooLongIsCountedInAShorterCall) {
  if (const std::string why = witness::why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  const auto sbox = find_backend("sbox");
  ASSERT_TRUE(sbox);
  const auto of = count_pairs(**sbox, **sbox, {workload(1 << 20), workload(16)}, {.most_instructions = 10'000}, 30);
  EXPECT_TRUE(of[1].counted()) << of[1].reason;
  EXPECT_EQ(of[1].bytes, 16u);
  EXPECT_TRUE(of[0].counted()) << of[0].reason;
  EXPECT_GE(of[0].bytes, 16u);
  EXPECT_LE(of[0].bytes, 1024u);
  EXPECT_LE(of[0].baseline, 10'000u);
}

// The second of two cells that are as short as can be, and take more than a quarter of what is allowed.
TEST(CountPairs, NoCallBecomesLonger) {
  if (const std::string why = witness::why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  const auto sbox = find_backend("sbox");
  ASSERT_TRUE(sbox);
  const Workload bits{{Mode::cfb1, Direction::encrypt, KeySize::bits128}, 2};
  const auto of = count_pairs(**sbox, **sbox, {bits, bits}, {.most_instructions = 50'000}, 30);
  for (const CellCounts& counts : of) {
    EXPECT_TRUE(counts.counted()) << counts.reason;
    EXPECT_EQ(counts.bytes, 2u);
    EXPECT_GT(counts.baseline, 50'000u / 4);
  }
}

TEST(CountPairs, WhatComesTooLateIsNotBegun) {
  const auto sbox = find_backend("sbox");
  ASSERT_TRUE(sbox);
  const auto late = count_pairs(**sbox, **sbox, {workload(16)}, {}, 0);
  EXPECT_THAT(late[0].reason, HasSubstr("there was no time"));
}

}  // namespace
}  // namespace aesgate
