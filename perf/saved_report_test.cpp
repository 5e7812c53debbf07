#include "perf/saved_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace aesgate {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using enum GateVerdict;

json saved_cell(std::size_t bytes, double cycles, double spread = 0.002) {
  return {{"backend", "mine"},
          {"mode", "CBC"},
          {"direction", "encrypt"},
          {"key_bits", 128},
          {"bytes_per_call", bytes},
          {"in_place", false},
          {"verdict", "agree"},
          {"core_cycles_per_byte",
           {{"median", cycles},
            {"lower_quartile", cycles * (1 - spread / 2)},
            {"upper_quartile", cycles * (1 + spread / 2)}}}};
}

json saved(const std::vector<json>& cells) {
  return {{"schema", 1},
          {"command", "perf"},
          {"host",
           {{"cpu", "a CPU"},
            {"architecture", "x86_64"},
            {"system", "Linux 6.1"},
            {"compiler", "clang 14.0.6"},
            {"cpus", 2},
            {"features", {"aes", "vaes"}},
            {"cpu_mask", ""}}},
          {"clock", {{"name", "time-stamp counter"}, {"nanoseconds_per_unit", 0.5}}},
          {"window", "clean"},
          {"results", cells}};
}

SavedReport report(const std::vector<json>& cells) {
  const auto read = read_saved_report(saved(cells).dump());
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(SavedReport{});
}

/// The verdict on one cell of 2.5 cycles/byte, against launches with these.
GateResult against(const std::vector<double>& launches, double spread = 0.002) {
  std::vector<SavedReport> measured;
  for (const double cycles : launches) measured.push_back(report({saved_cell(64, cycles)}));
  return compare_with_saved(report({saved_cell(64, 2.5, spread)}), "mine", measured, {});
}

TEST(SavedReport, HasTheCellsAndTheMachine) {
  const SavedReport read = report({saved_cell(64, 2.5), saved_cell(16384, 2.6)});
  ASSERT_EQ(read.cells.size(), 2u);
  EXPECT_EQ(read.cells[1].workload.bytes, 16384u);
  EXPECT_DOUBLE_EQ(read.cells[1].cycles_a_byte, 2.6);
  EXPECT_NEAR(read.cells[0].spread, 0.002, 1e-12);
  EXPECT_THAT(read.backends(), testing::ElementsAre("mine"));
}

TEST(SavedReport, WhatIsNoneIsAnError) {
  for (const char* text : {"", "  \n", "{", "[]", "{}", "null", "\"perf\"", "nonsense"})
    EXPECT_FALSE(read_saved_report(text)) << text;
  const auto without = [](const char* key) {
    json broken = saved({saved_cell(64, 2.5)});
    broken.erase(key);
    return broken.dump();
  };
  for (const char* key : {"schema", "command", "host", "clock", "window", "results"})
    EXPECT_FALSE(read_saved_report(without(key))) << key;
  json other = saved({saved_cell(64, 2.5)});
  other["command"] = "gate";
  EXPECT_THAT(read_saved_report(other.dump()).error().message, HasSubstr("no report of aesgate perf --json"));
  EXPECT_FALSE(read_saved_report(saved({}).dump()));
  EXPECT_FALSE(read_saved_report(saved({saved_cell(64, 0)}).dump()));
  EXPECT_FALSE(read_saved_report(saved({saved_cell(64, -1)}).dump()));
  // Against which everything would pass.
  EXPECT_EQ(read_saved_report(saved({saved_cell(64, 1e300)}).dump()).error().message,
            "result 1: a cell has impossible core cycles");
  json lone = saved_cell(64, 2.5);
  lone["core_cycles_per_byte"]["median"] = 25;
  EXPECT_EQ(read_saved_report(saved({lone}).dump()).error().message, "result 1: a cell has impossible core cycles");
  for (const char* text : {"3", "{\"a\":1}", "[[1]]", "null"})
    EXPECT_EQ(read_saved_report(text).error().message, "it is no report of aesgate perf --json, of schema 1") << text;
  EXPECT_EQ(read_saved_report(without("host")).error().message, "\"host\" is missing");
  EXPECT_THAT(read_saved_report(std::string(200'000, '[')).error().message, testing::StartsWith("malformed JSON: "));
  EXPECT_EQ(read_saved_report(saved({saved_cell(64, 2.5), 3}).dump()).error().message,
            "result 2: an object belongs where a number is");
  json letters = saved_cell(64, 2.5);
  letters["bytes_per_call"] = "many";
  EXPECT_EQ(read_saved_report(saved({letters}).dump()).error().message, "result 1: a number belongs where a string is");
  letters = saved_cell(64, 2.5);
  letters["mode"] = "XTS";
  EXPECT_FALSE(read_saved_report(saved({letters}).dump()));
}

TEST(SavedReport, AnotherMachineIsNotComparable) {
  const SavedReport here = report({saved_cell(64, 2.5)});
  EXPECT_EQ(why_not_comparable(here, here), "");
  const auto with = [](const char* object, const char* key, const json& value) {
    json other = saved({saved_cell(64, 2.5)});
    other[object][key] = value;
    return *read_saved_report(other.dump());
  };
  EXPECT_EQ(why_not_comparable(with("host", "cpu", "another"), here), "CPU: \"another\" there, \"a CPU\" here");
  EXPECT_NE(why_not_comparable(with("host", "system", "Linux 6.2"), here), "");
  EXPECT_NE(why_not_comparable(with("host", "compiler", "gcc 12"), here), "");
  EXPECT_NE(why_not_comparable(with("host", "cpus", 4), here), "");
  EXPECT_NE(why_not_comparable(with("host", "cpu_mask", "avx512"), here), "");
  EXPECT_NE(why_not_comparable(with("clock", "name", "CLOCK_MONOTONIC"), here), "");
  EXPECT_THAT(why_not_comparable(with("clock", "nanoseconds_per_unit", 0.51), here), HasSubstr("the clock's unit"));
  EXPECT_EQ(why_not_comparable(with("clock", "nanoseconds_per_unit", 0.5001), here), "");
}

TEST(SavedReport, ComparesByWhatTheFileSupports) {
  EXPECT_EQ(against({2.5, 2.5, 2.5}).verdict, pass);
  EXPECT_EQ(against({2.55, 2.56, 2.57}).verdict, pass) << "two launches of one file differ by as much";
  EXPECT_EQ(against({2.7, 2.7, 2.7}).verdict, regressed);
  EXPECT_EQ(against({2.7, 2.5, 2.7}).verdict, inconclusive);
  EXPECT_EQ(against({2.7, 2.7, 2.7}, 0.1).verdict, pass) << "its samples lie far apart";
  EXPECT_TRUE(against({2.0, 2.0, 2.0}).cells[0].faster);
  const GateResult result = against({2.7, 2.7, 2.7});
  EXPECT_FALSE(result.sentinels);
  EXPECT_THAT(result.notes.at(0), HasSubstr("supports thresholds of 5.1% to 5.1%"));
  EXPECT_THAT(result.cells[0].reason, HasSubstr("in 3 of 3 launches"));
}

TEST(SavedReport, ACallOfTenCyclesMayTakeThreeMoreByLuck) {
  // 0.6 cycles a byte of 16 bytes: 9.6 cycles a call.
  const SavedReport small = report({saved_cell(16, 0.6)});
  const auto verdict = [&](double cycles) {
    const SavedReport launch = report({saved_cell(16, cycles)});
    return compare_with_saved(small, "mine", {launch, launch, launch}, {}).verdict;
  };
  EXPECT_EQ(verdict(0.6 * 1.3), pass);
  EXPECT_EQ(verdict(0.6 * 1.4), regressed);
}

TEST(SavedReport, WithoutCoreCyclesThereIsNoVerdict) {
  json contended = saved_cell(64, 2.5);
  contended["core_cycles_per_byte"] = nullptr;
  const SavedReport good = report({saved_cell(64, 2.5)});
  const SavedReport noisy = report({contended});
  const GateResult by_file = compare_with_saved(noisy, "mine", {good, good, good}, {});
  EXPECT_EQ(by_file.verdict, inconclusive);
  EXPECT_THAT(by_file.cells[0].reason, HasSubstr("the saved baseline: core cycles are not known"));
  EXPECT_EQ(compare_with_saved(good, "mine", {good, noisy, good}, {}).verdict, inconclusive);
  EXPECT_EQ(compare_with_saved(good, "mine", {report({saved_cell(16, 2.5)})}, {}).verdict, inconclusive);
}

TEST(SavedReport, WhatIsWrongIsWrong) {
  json broken = saved_cell(64, 2.5);
  broken["verdict"] = "mismatch";
  broken["reason"] = "output differs at byte 3";
  broken.erase("core_cycles_per_byte");
  const GateResult result = compare_with_saved(report({saved_cell(64, 2.5)}), "mine", {report({broken})}, {});
  EXPECT_EQ(result.verdict, wrong);
  EXPECT_THAT(result.reason, HasSubstr("output differs at byte 3"));
}

}  // namespace
}  // namespace aesgate
