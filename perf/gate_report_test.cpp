#include "perf/gate_report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "perf/gate_trials.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

GateCell cell(std::size_t bytes, double change, GateVerdict verdict, std::string reason = {}) {
  GateCell cell;
  cell.workload = {{Mode::cbc, Direction::decrypt, KeySize::bits128}, bytes, false};
  cell.verdict = verdict;
  cell.reason = std::move(reason);
  cell.change = GateCell::Change{change, change - 0.001, change + 0.001};
  cell.screened = {change};
  cell.nanoseconds_a_call = 12.5;
  return cell;
}

GateReport report() {
  GateReport report;
  report.host.cpu = "a CPU";
  report.baseline_file = "old|`.so";
  report.candidate_file = "new.so";
  report.threshold = 0.0075;
  GateResult& result = report.results.emplace_back();
  result.baseline = result.candidate = "aesni";
  result.verdict = GateVerdict::regressed;
  result.reason = "1 of 4 cells are slower by more than 0.75%";
  result.launches = 18;
  result.pairs_taken = 1000;
  result.pairs_calibrated = 400;
  result.planted = 0.02;
  result.own_copy = cell(16384, 0, GateVerdict::pass);
  result.with_planted = cell(16384, 0.0199, GateVerdict::regressed);
  result.cells = {cell(16, 0.0001, GateVerdict::pass), cell(256, 0.36, GateVerdict::regressed, "slower"),
                  cell(1024, 0.009, GateVerdict::inconclusive, "above the threshold in 8 of 24 launches"),
                  cell(16384, -0.2, GateVerdict::pass)};
  result.cells.back().faster = true;
  return report;
}

TEST(GateTable, ShowsWhatIsNoPlainPassAndTheRestInOneLine) {
  const std::string text = to_table(report(), false);
  EXPECT_THAT(text, AllOf(HasSubstr("CBC decrypt 128, 256 bytes "), HasSubstr("+36.00%"), HasSubstr("REGRESSED\n"),
                          HasSubstr("-20.00%"), HasSubstr("faster\n"), Not(HasSubstr("CBC decrypt 128, 16 bytes"))));
  EXPECT_THAT(text, HasSubstr("inconclusive: above the threshold in 8 of 24 launches\n"));
  EXPECT_THAT(text, HasSubstr("CBC decrypt             4     2       -20.00%  +0.46%  +36.00%\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("with +2.00% planted: +1.99%"), HasSubstr("[+1.89%, +2.09%], found")));
  EXPECT_THAT(text, HasSubstr("contended"));
  EXPECT_THAT(text, HasSubstr("\nREGRESSED: 1 backend, threshold 0.75%"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(to_table(report(), true), HasSubstr("\033"));
}

TEST(GateTable, WithoutALaunchHasTheReasonAlone) {
  GateReport none = report();
  none.results[0] = GateResult{};
  none.results[0].baseline = none.results[0].candidate = "aesni";
  none.results[0].reason = "aesni of old.so is unavailable";
  const std::string text = to_table(none, false);
  EXPECT_THAT(text, AllOf(HasSubstr("aesni  INVALID: aesni of old.so is unavailable"), Not(HasSubstr("sentinels"))));
}

TEST(GateJson, HasEveryCellWithItsLaunches) {
  const auto json = to_json(report());
  EXPECT_EQ(json["verdict"], "REGRESSED");
  EXPECT_EQ(json["exit_status"], 1);
  const auto& result = json["results"][0];
  ASSERT_EQ(result["cells"].size(), 4u);
  EXPECT_EQ(result["cells"][1]["verdict"], "REGRESSED");
  EXPECT_DOUBLE_EQ(result["cells"][1]["change"]["median"], 0.36);
  EXPECT_EQ(result["cells"][1]["screening_launches"].size(), 1u);
  EXPECT_EQ(result["sentinels"]["planted"]["verdict"], "REGRESSED");
  EXPECT_EQ(result["window"], "contended");
}

TEST(GateJunit, IsGreenOnlyWhereACellPassed) {
  const std::string xml = to_junit(report());
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"aesni\" tests=\"5\" failures=\"3\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"REGRESSED: +36.00% [+35.90%, +36.10%]; slower\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"INCONCLUSIVE: +0.90%"));
  EXPECT_THAT(xml, HasSubstr("name=\"verdict\""));
}

TEST(GateMarkdown, CannotBeBrokenByAFilesName) {
  const std::string text = to_markdown(report());
  EXPECT_THAT(text, HasSubstr("## aesgate gate: REGRESSED\n\n`new.so` against `old??.so`, threshold 0.75%"));
  EXPECT_THAT(text, HasSubstr("| CBC decrypt 128, 256 bytes | +36.00% | +35.90% to +36.10% | - | **REGRESSED** |"));
  EXPECT_THAT(text, HasSubstr("| CBC decrypt 128, 16384 bytes | -20.00% | -20.10% to -19.90% | - | faster |"));
}

/// Launches without noise, in which what is planted shows.
Result<Launched> quiet(const LaunchRequest& request) {
  Launched launched;
  for (const LaunchCell& cell : request.cells)
    launched.cells.push_back({Verdict::agree, {}, {60, 60, 60, cell.planted, 100, {}}, {}});
  return launched;
}

std::vector<Workload> two_cells() {
  return {{{Mode::ecb, Direction::encrypt, KeySize::bits128}, 16, false},
          {{Mode::ecb, Direction::encrypt, KeySize::bits128}, 256, false}};
}

TEST(GateTrials, CountAlarmsAndWhatWasFound) {
  const auto test = test_gate({}, two_cells(), {}, quiet, {.real = 3});
  ASSERT_TRUE(test);
  ASSERT_EQ(test->rows.size(), 3u);
  EXPECT_EQ(test->rows[0].alarms, 0u);
  EXPECT_EQ(test->rows[0].verdicts[static_cast<std::size_t>(GateVerdict::pass)], 3u);
  for (const std::size_t row : {1u, 2u}) {
    EXPECT_EQ(test->rows[row].found, 3u);
    EXPECT_EQ(test->rows[row].alarms, 0u);
    EXPECT_EQ(test->rows[row].rate().of, 3u);
  }
  EXPECT_THAT(to_table(*test), HasSubstr("100.0% [29.2, 100.0]"));
  EXPECT_EQ(to_json(*test)["rows"][2]["found"], 3);
}

TEST(GateTrials, RedrawnRunsAreToldApartFromRealOnes) {
  std::size_t launches = 0;
  const auto counted = [&launches](const LaunchRequest& request) {
    ++launches;
    return quiet(request);
  };
  const auto test = test_gate({}, two_cells(), {}, counted, {.real = 2, .redrawn = 50});
  ASSERT_TRUE(test);
  const std::size_t real = launches;
  ASSERT_EQ(test->rows.size(), 6u);
  EXPECT_EQ(test->runs(false), 6u);
  EXPECT_EQ(test->runs(true), 150u);
  EXPECT_GE(test->recorded, 6u * GateOptions{}.screening_launches);
  EXPECT_LE(test->recorded, real);
  EXPECT_EQ(test->rows[3].alarms, 0u);
  EXPECT_EQ(test->rows[5].found, 50u);
  const std::string table = to_table(*test);
  EXPECT_THAT(table, HasSubstr("+2% in one cell, redrawn"));
  EXPECT_THAT(table, HasSubstr("6 real ones in all"));
  EXPECT_EQ(to_json(*test)["rows"][5]["redrawn"], true);
}

TEST(GateTrials, AnAlarmInAnotherCellIsNotWhatWasPlanted) {
  // The second cell is slower in every run, also where nothing is planted.
  const auto test =
      test_gate({}, two_cells(), {},
                [](const LaunchRequest& request) {
                  auto launched = quiet(request);
                  for (std::size_t i = 0; i < request.cells.size(); ++i)
                    if (request.cells[i].workload.bytes == 256 && request.cells[i].with == LaunchCell::With::candidate)
                      launched->cells[i].summary.change = 0.05;
                  return launched;
                },
                {.real = 4});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->rows[0].alarms, 4u);
  EXPECT_EQ(test->rows[0].found, 0u);
  EXPECT_EQ(test->rows[2].found, 4u) << "whichever cell it was planted in";
  EXPECT_LE(test->rows[2].alarms, 4u);
}

}  // namespace
}  // namespace aesgate
