#include "perf/evaluate.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "perf/perf_formats.h"

namespace aesgate {
namespace {

/// A cell of 10 calls of 100 bytes a sample, so that 2000 ticks are 2 a byte; at half a tick a cycle, 4 cycles.
MeasuredCell cell(const char* backend, std::size_t agreeing, std::size_t others, double ticks = 2000,
                  double width = 8) {
  MeasuredCell measured;
  measured.result.backend = backend;
  measured.result.bytes = 100;
  measured.result.verdict = Verdict::agree;
  measured.result.calls_per_sample = 10;
  measured.samples.assign(agreeing, Sample{ticks, Calibrated{0.5, width}});
  measured.samples.resize(agreeing + others, Sample{ticks, {}});
  return measured;
}

PerfReport report_of(std::vector<MeasuredCell> cells, bool was_calibrated = true) {
  PerfReport report;
  report.clock.unit = "tick";
  report.clock.nanoseconds_per_unit = 0.4;
  evaluate(report, cells, was_calibrated);
  return report;
}

TEST(Evaluate, ConvertsTicksToCyclesByTheCalibrationAndToTimeByTheRate) {
  const PerfReport report = report_of({cell("a", 90, 10)});
  const PerfResult& result = report.results.at(0);
  EXPECT_DOUBLE_EQ(result.units_per_byte.median, 2);
  ASSERT_TRUE(result.cycles_per_byte);
  EXPECT_DOUBLE_EQ(result.cycles_per_byte->median, 4);
  EXPECT_EQ(result.cycles_per_byte->samples, 90u);
  EXPECT_DOUBLE_EQ(result.nanoseconds_per_byte, 0.8);
  EXPECT_EQ(result.samples_used, 90u);
  EXPECT_EQ(result.samples_taken, 100u);
  EXPECT_DOUBLE_EQ(report.core_ghz.value(), 5);
  EXPECT_DOUBLE_EQ(report.agreement(), 0.9);
  EXPECT_EQ(report.window, Window::clean);
  EXPECT_EQ(exit_status(report), 0);
}

TEST(Evaluate, PublishesNoCyclesWhenTooFewSamplesAgree) {
  const PerfReport report = report_of({cell("a", 20, 80)});
  EXPECT_FALSE(report.results.at(0).cycles_per_byte);
  EXPECT_DOUBLE_EQ(report.results.at(0).units_per_byte.median, 2);
  EXPECT_EQ(report.window, Window::contended);
  EXPECT_NE(to_table(report).find("window   contended"), std::string::npos);
  EXPECT_TRUE(to_json(report)["results"][0]["core_cycles_per_byte"].is_null());
  EXPECT_FALSE(report_of({cell("a", 10, 0)}).results.at(0).cycles_per_byte);
}

TEST(Evaluate, OneContendedCellMakesTheWindowContended) {
  const PerfReport report = report_of({cell("a", 1000, 0), cell("b", 20, 80)});
  EXPECT_TRUE(report.results.at(0).cycles_per_byte);
  EXPECT_FALSE(report.results.at(1).cycles_per_byte);
  EXPECT_EQ(report.window, Window::contended);
}

TEST(Evaluate, WhoIsWaitedForDoesNotMakeTheWindowContended) {
  MeasuredCell waited = cell("kernel", 0, 1000);
  waited.result.elapsed = Elapsed{2, 0.1};
  const PerfReport report = report_of({cell("a", 90, 10), waited});
  EXPECT_EQ(report.window, Window::clean);
  EXPECT_EQ(report.samples_taken, 100u);
  EXPECT_NE(to_table(report).find("2.000 ns/byte, 500.0 MB/s; this thread had the CPU 10% of it"), std::string::npos);
}

// The chains agree, since a chain leaves most of the core idle; the slots tell.
TEST(Evaluate, DoesNotUseSamplesOnASharedCore) {
  MeasuredCell shared = cell("a", 50, 0);
  const MeasuredCell slow = cell("a", 60, 0, 3000, 4.4);
  shared.samples.insert(shared.samples.end(), slow.samples.begin(), slow.samples.end());
  const PerfReport report = report_of({shared});
  const PerfResult& result = report.results.at(0);
  EXPECT_EQ(result.samples_used, 50u);
  ASSERT_TRUE(result.cycles_per_byte);
  EXPECT_DOUBLE_EQ(result.cycles_per_byte->upper_quartile, 4);
  EXPECT_DOUBLE_EQ(result.units_per_byte.median, 3);  // of all, and said so
  EXPECT_DOUBLE_EQ(report.agreement(), 1);
  EXPECT_EQ(report.window, Window::contended);  // less than half of all
}

TEST(Evaluate, WithoutProbesThereAreNoCyclesAndNothingIsClean) {
  const PerfReport report = report_of({cell("a", 0, 100)}, false);
  EXPECT_FALSE(report.results.at(0).cycles_per_byte);
  EXPECT_FALSE(report.core_ghz);
  EXPECT_EQ(report.window, Window::unknown);
  EXPECT_EQ(cycles_source(report.clock, nullptr).substr(0, 4), "none");
}

TEST(Evaluate, RatiosAreAmongTheSameShapeOnly) {
  MeasuredCell other_mode = cell("a", 90, 0, 500);
  other_mode.result.shape.mode = Mode::ofb;
  const PerfReport report = report_of({cell("a", 90, 0, 2000), cell("b", 90, 0, 3000), other_mode});
  EXPECT_DOUBLE_EQ(report.results.at(0).ratio_to_fastest, 1);
  EXPECT_DOUBLE_EQ(report.results.at(1).ratio_to_fastest, 1.5);
  EXPECT_DOUBLE_EQ(report.results.at(2).ratio_to_fastest, 1);
}

TEST(Evaluate, RatiosAreInCyclesWhereAllHaveThem) {
  // The same ticks at another frequency: half the cycles.
  MeasuredCell slow_clock = cell("b", 90, 0);
  for (Sample& sample : slow_clock.samples) sample.calibrated->units_per_cycle = 1;
  EXPECT_DOUBLE_EQ(report_of({cell("a", 90, 0), slow_clock}).results.at(0).ratio_to_fastest, 2);
  EXPECT_DOUBLE_EQ(report_of({cell("a", 90, 0), cell("b", 0, 90)}).results.at(0).ratio_to_fastest, 1);
}

TEST(Evaluate, ComparesWithTheFloor) {
  MeasuredCell measured = cell("a", 90, 0);  // 4 cycles/byte
  measured.result.floor_cycles_per_byte = 3.2;
  const PerfReport report = report_of({measured});
  EXPECT_NE(to_table(report).find("  1.250  "), std::string::npos) << to_table(report);
  EXPECT_DOUBLE_EQ(to_json(report)["results"][0]["ratio_to_floor"].get<double>(), 1.25);
  EXPECT_EQ(exit_status(report), 0);
}

TEST(Evaluate, AFigureBelowTheFloorIsAnErrorOfTheMeasurement) {
  MeasuredCell measured = cell("a", 90, 0);
  measured.result.floor_cycles_per_byte = 4.03;
  EXPECT_EQ(exit_status(report_of({measured})), 0);  // 0.993 of it
  measured.result.floor_cycles_per_byte = 4.05;
  const PerfReport report = report_of({measured, cell("b", 90, 0, 3000)});
  EXPECT_EQ(exit_status(report), 3);
  EXPECT_DOUBLE_EQ(report.results.at(1).ratio_to_fastest, 1);
  const std::string table = to_table(report);
  EXPECT_NE(
      table.find("a        ECB   encrypt    128    100  not measured: 4.0000 cycles/byte came out, which is below "
                 "0.99 of the floor, 4.0500: the measurement is wrong\n"),
      std::string::npos)
      << table;
  const nlohmann::ordered_json json = to_json(report);
  EXPECT_TRUE(json["results"][0]["below_floor"]);
  EXPECT_FALSE(json["results"][0].contains("core_cycles_per_byte"));
}

TEST(Evaluate, AWrongBackendHasNoSpeedAnywhere) {
  MeasuredCell wrong = cell("wrong", 90, 0, 1);  // a thousandth of the others' time
  wrong.result.verdict = Verdict::mismatch;
  wrong.result.reason = "output differs";
  const PerfReport report = report_of({wrong, cell("a", 90, 10)});
  EXPECT_EQ(report.results.at(0).samples_taken, 0u);
  EXPECT_EQ(report.samples_taken, 100u);
  EXPECT_DOUBLE_EQ(report.results.at(1).ratio_to_fastest, 1);
  EXPECT_EQ(exit_status(report), 1);
  const std::string table = to_table(report);
  EXPECT_NE(table.find("wrong    ECB   encrypt    128    100  not timed, mismatch: output differs\n"),
            std::string::npos)
      << table;
  const nlohmann::ordered_json json = to_json(report);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["command"], "perf");
  EXPECT_FALSE(json["results"][0].contains("clock_units_per_byte"));
  EXPECT_EQ(json["results"][0]["reason"], "output differs");
}

TEST(Report, TicksAreCalledTicks) {
  const PerfReport report = report_of({cell("a", 90, 10)});
  const std::string table = to_table(report);
  EXPECT_NE(table.find("unit tick, which is not a core cycle: 0.4000 ns"), std::string::npos) << table;
  EXPECT_NE(table.find("cycles/byte  spread  x floor  ticks/byte"), std::string::npos) << table;
  EXPECT_NE(table.find("400.0        4.000    0.0%        -       2.000   0.8000   90/100       1.00x"),
            std::string::npos)
      << table;
}

TEST(Report, SaysWhenTheBuildIsNotOneToTime) {
  PerfReport report = report_of({cell("a", 90, 10)});
  EXPECT_EQ(to_table(report).find("WARNING"), std::string::npos);
  report.build_warning = "built slowly";
  EXPECT_NE(to_table(report).find("WARNING: built slowly\n"), std::string::npos);
  EXPECT_EQ(to_json(report)["build_warning"], "built slowly");
}

TEST(Report, NothingTimedIsNotASuccess) {
  EXPECT_EQ(exit_status(report_of({})), 3);
  MeasuredCell unavailable;
  unavailable.result.verdict = Verdict::unavailable;
  EXPECT_EQ(exit_status(report_of({unavailable})), 3);
}

}  // namespace
}  // namespace aesgate
