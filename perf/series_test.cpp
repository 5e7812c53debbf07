#include "perf/series.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "perf/made_up_report_test.h"
#include "perf/perf_formats.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

const Shape ecb{Mode::ecb, Direction::encrypt, KeySize::bits128};

TEST(Series, ALineForEachBackendAndShape) {
  const PerfReport report = made_up_report({{}, {.backend = "slow", .call = 40, .per_byte = 5}, {.shape = ecb}});
  ASSERT_EQ(report.series.size(), 3u);
  const PerfSeries& quick = report.series[0];
  EXPECT_EQ(quick.backend, "quick");
  EXPECT_EQ(quick.cells.size(), 6u);
  EXPECT_DOUBLE_EQ(quick.cycles.value().per_byte.value, 2.5);
  EXPECT_NEAR(quick.cycles->call.value, 20, 1e-9);
  EXPECT_DOUBLE_EQ(quick.units.value().per_byte.value, 1.25);
  EXPECT_LT(quick.cycles->per_byte.low, 2.5);
  EXPECT_GT(quick.cycles->per_byte.high, 2.5);
  EXPECT_DOUBLE_EQ(quick.key_setup.value().cycles.value().median, 150);
  EXPECT_DOUBLE_EQ(quick.key_setup->nanoseconds, 37.5);
  EXPECT_DOUBLE_EQ(quick.ratio_to_fastest, 1);
  EXPECT_DOUBLE_EQ(report.series[1].ratio_to_fastest, 2);
  EXPECT_DOUBLE_EQ(report.series[2].ratio_to_fastest, 1);  // of another shape
}

TEST(Series, OneSizeHasNoSlope) {
  const PerfReport report = made_up_report({{}}, {16384});
  EXPECT_FALSE(report.series.at(0).units);
  EXPECT_TRUE(report.series.at(0).key_setup);
  EXPECT_THAT(to_table(report), HasSubstr("samples  vs fastest"));
}

TEST(Series, ASlopeBelowTheFloorIsAnErrorOfTheMeasurement) {
  PerfReport report = made_up_report({{}});
  for (PerfResult& result : report.results) result.floor_cycles_per_byte = 2.51;
  report.series.clear();
  make_series(report);
  EXPECT_FALSE(report.series.at(0).below_floor);  // 0.996 of it
  EXPECT_TRUE(report.series.at(0).cycles);
  // No call is below it, but what each byte more takes is.
  for (PerfResult& result : report.results) result.floor_cycles_per_byte = 2.53;
  report.series.clear();
  make_series(report);
  EXPECT_TRUE(report.series.at(0).below_floor);
  EXPECT_FALSE(report.series.at(0).cycles);
  EXPECT_FALSE(report.series.at(0).units);
  EXPECT_EQ(exit_status(report), 3);
  EXPECT_THAT(to_table(report), HasSubstr("quick: no bulk: 2.5000 cycles/byte came out, which is below 0.99"));
}

// Measured: 8.4 cycles for a block and 20.8 for four, 0.26 a byte between them, on a unit that takes 0.3125 in bulk.
TEST(Series, TheSlopeOfShortCallsMayBeBelowTheFloorWhereBlocksDoNotWait) {
  const auto below = [](Shape shape, std::vector<std::size_t> sizes) {
    PerfReport report = made_up_report({{.shape = shape, .per_byte = 0.26}}, sizes);
    for (PerfResult& result : report.results) result.floor_cycles_per_byte = 0.3125;
    report.series.clear();
    make_series(report);
    return report.series.at(0).below_floor;
  };
  EXPECT_FALSE(below(ecb, {16, 64}));
  EXPECT_TRUE(below(ecb, {16, 64, 1024, 16384}));
  EXPECT_TRUE(below(Shape{Mode::cbc, Direction::encrypt, KeySize::bits128}, {16, 64}));
}

TEST(Series, WrongAtOneSizeHasNoSpeedAtAny) {
  PerfReport report = made_up_report({{}, {.backend = "right"}});
  report.results[1].verdict = Verdict::mismatch;
  report.results[1].reason = "output differs";
  report.series.clear();
  make_series(report);
  EXPECT_TRUE(report.series.at(0).wrong);
  EXPECT_FALSE(report.series[0].units);
  EXPECT_TRUE(report.series.at(1).units);
  EXPECT_THAT(to_table(report), HasSubstr("\nquick          not timed, mismatch: output differs (64 bytes a call)\n"));
  EXPECT_EQ(exit_status(report), 1);
}

TEST(Series, TheTableHasALineABackendOverItsSizes) {
  const std::string table = to_table(made_up_report({{}, {.backend = "slow", .call = 40, .per_byte = 5}}));
  EXPECT_THAT(table, HasSubstr("CBC encrypt 128\n"
                               "bytes a call:     16     64    256   1024   8192  16384   bulk     +-  x floor  call  "
                               "key set-up  vs fastest\n"
                               "quick          3.750  2.812  2.578  2.520  2.502  2.501  2.500  0.05%        -  20.0  "
                               "     150.0       1.00x\n"
                               "slow           7.500  5.625  5.156  5.039  5.005  5.002  5.000  0.05%        -  40.0  "
                               "     150.0       2.00x\n"))
      << table;
}

TEST(Series, WhatHasNoCyclesIsInTheClocksUnitAndMarked) {
  PerfReport report = made_up_report({{}});
  for (PerfResult& result : report.results) {
    result.cycles_per_byte.reset();
    for (RawSample& sample : result.raw) sample.units_per_cycle.reset();
  }
  report.series.clear();
  make_series(report);
  EXPECT_FALSE(report.series.at(0).cycles);
  EXPECT_THAT(to_table(report), HasSubstr("1.251t  1.250t"));
}

TEST(Series, Json) {
  const nlohmann::ordered_json json = to_json(made_up_report({{}}), true);
  const auto& series = json["series"].at(0);
  EXPECT_DOUBLE_EQ(series["bulk_core_cycles_per_byte"]["value"].get<double>(), 2.5);
  EXPECT_DOUBLE_EQ(series["bulk_clock_units_per_byte"]["value"].get<double>(), 1.25);
  EXPECT_DOUBLE_EQ(series["bulk_nanoseconds_per_byte"].get<double>(), 0.625);
  EXPECT_NEAR(series["call_core_cycles"]["value"].get<double>(), 20, 1e-9);
  EXPECT_DOUBLE_EQ(series["key_setup"]["core_cycles"]["median"].get<double>(), 150);
  EXPECT_EQ(series["bulk_from_bytes"], 1024);
  EXPECT_EQ(json["results"][0]["raw"]["clock_units"].size(), 21u);
  EXPECT_DOUBLE_EQ(json["results"][0]["raw"]["clock_units_per_core_cycle"][0].get<double>(), 0.5);
  EXPECT_FALSE(to_json(made_up_report({{}}))["results"][0].contains("raw"));
}

}  // namespace
}  // namespace aesgate
