// aesgate gate, from the command line to the exit status. Machines that test are noisy: where a verdict depends on
// time, a test takes "inconclusive" too, but never a pass for what is slower, nor a regression for what is the same.

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"
#include "cli/xml_test.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::Eq;
using testing::HasSubstr;
using testing::StartsWith;

std::string plugin(const std::string& name) { return fmt::format("{}/{}.so", AESGATE_PLUGINS, name); }

/// Single steps, which count instructions, are had on x86-64 alone.
bool counts(const nlohmann::json& report) {
  const auto& instructions = report["results"][0]["cells"][0]["instructions"];
  return instructions.is_object() && instructions.contains("baseline");
}

class Gate : public ProgramTest {
 protected:
  Ran compare(const std::string& baseline, const std::string& candidate, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"gate", "--baseline", plugin(baseline), "--candidate", plugin(candidate)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(std::move(arguments));
  }
};

TEST_F(Gate, TheSameFileTwiceIsNotSlower) {
  const Ran ran = compare("libexample_plugin", "libexample_plugin",
                          {"--mode", "ECB", "--key-bits", "128", "--bytes", "256", "--json", "report.json", "--junit",
                           "report.xml", "--markdown", "report.md"});
  EXPECT_THAT(ran.status, AnyOf(Eq(0), Eq(3))) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(read("report.json"));
  const std::string verdict = json["verdict"];
  EXPECT_EQ(verdict == "PASS", ran.status == 0) << verdict;
  EXPECT_EQ(json["exit_status"], ran.status);
  EXPECT_THAT(ran.out, HasSubstr("\n" + verdict + ": 1 backend, threshold 0.75%, seed 1; "));
  EXPECT_EQ(json["results"][0]["cells"].size(), 4u);
  if (counts(json)) {
    EXPECT_EQ(json["results"][0]["cells"][0]["instructions"]["change"], 0);
  }
  EXPECT_GE(json["results"][0]["launches"], 20);
  EXPECT_EQ(why_not_well_formed(read("report.xml")), "");
  EXPECT_THAT(read("report.md"), StartsWith("## aesgate gate: " + verdict + "\n"));
}

struct SlowFault {
  const char* name;  // of the backend that is slower than clean-plain
  const char* mode;
  const char* bytes;
  std::set<std::string> cells;  // in which it is
};

class SlowBackend : public Gate, public testing::WithParamInterface<SlowFault> {};

TEST_P(SlowBackend, NeverPasses) {
  const Ran ran = compare("libaesgate_faults", "libaesgate_faults",
                          {"--backend", "clean-plain", "--candidate-backend", GetParam().name, "--mode",
                           GetParam().mode, "--key-bits", "128", "--bytes", GetParam().bytes, "--json", "report.json"});
  EXPECT_THAT(ran.status, AnyOf(Eq(1), Eq(3))) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(read("report.json"));
  if (ran.status != 1) GTEST_SKIP() << "too much else runs on this machine: " << json["results"][0]["reason"];
  EXPECT_EQ(json["verdict"], "REGRESSED");
  std::set<std::string> slower;
  for (const auto& cell : json["results"][0]["cells"])
    if (cell["verdict"] == "REGRESSED" && cell["change"]["median"] > 0.1)
      slower.insert(fmt::format("{}{}", cell["direction"].get<std::string>(), cell["in_place"] ? " in place" : ""));
  EXPECT_EQ(slower, GetParam().cells) << ran.out;
}

INSTANTIATE_TEST_SUITE_P(
    faults, SlowBackend,
    testing::Values(
        SlowFault{"fault-slow-in-place", "CFB128", "16384", {"encrypt in place", "decrypt in place"}},
        SlowFault{"fault-parallel-decrypt-lost", "CBC", "16384", {"decrypt", "decrypt in place"}},
        SlowFault{"fault-slow-one-block", "ECB", "16", {"encrypt", "encrypt in place", "decrypt", "decrypt in place"}},
        SlowFault{
            "fault-slow-small-calls", "OFB", "16", {"encrypt", "encrypt in place", "decrypt", "decrypt in place"}}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST_F(Gate, WhatExecutesMoreIsFoundWhateverElseRuns) {
  const std::vector<std::string> arguments{"--backend",
                                           "clean-plain",
                                           "--candidate-backend",
                                           "fault-slow-one-block",
                                           "--mode",
                                           "ECB",
                                           "--key-bits",
                                           "128",
                                           "--bytes",
                                           "16",
                                           "--json",
                                           "report.json",
                                           "--count-only"};
  const Ran ran = compare("libaesgate_faults", "libaesgate_faults", arguments);
  const auto json = nlohmann::json::parse(read("report.json"));
  if (!counts(json)) GTEST_SKIP() << json["results"][0]["reason"];
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_EQ(json["verdict"], "REGRESSED");
  for (const auto& cell : json["results"][0]["cells"]) EXPECT_EQ(cell["verdict"], "REGRESSED") << cell;
  // The same once more, to the digit.
  compare("libaesgate_faults", "libaesgate_faults", arguments);
  EXPECT_EQ(nlohmann::json::parse(read("report.json"))["results"][0]["cells"], json["results"][0]["cells"]);
}

TEST_F(Gate, CountsAloneOfTheSameFileTwicePassAndTimeNothing) {
  const Ran ran = compare("libexample_plugin", "libexample_plugin",
                          {"--mode", "CBC", "--key-bits", "128", "--bytes", "16", "--count-only", "--json",
                           "report.json", "--junit", "report.xml", "--markdown", "report.md"});
  const auto json = nlohmann::json::parse(read("report.json"));
  if (!counts(json)) GTEST_SKIP() << json["results"][0]["reason"];
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("nothing was timed"));
  EXPECT_EQ(json["results"][0]["launches"], 0);
  for (const auto& cell : json["results"][0]["cells"]) {
    EXPECT_EQ(cell["change"], nullptr);
    EXPECT_EQ(cell["instructions"]["same_execution"], true) << cell;
  }
  EXPECT_EQ(why_not_well_formed(read("report.xml")), "");
  EXPECT_THAT(read("report.md"), HasSubstr("Instructions: counted in 4 of 4 cells: as many in 4"));
}

TEST_F(Gate, WhatIsWrongHasNoSpeed) {
  const Ran ran = compare("libexample_plugin", "wrong_last_round",
                          {"--backend", "example", "--candidate-backend", "faulty", "--mode", "CBC", "--key-bits",
                           "128", "--bytes", "16", "--json", "report.json"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("FAIL faulty CBC encrypt 128: mismatch"));
  EXPECT_THAT(ran.out, ContainsRegex("replay: aesgate replay .*\\.case --plugin .*wrong_last_round.so"));
  EXPECT_THAT(ran.out, HasSubstr("\nWRONG: 1 backend"));
  const auto json = nlohmann::json::parse(read("report.json"));
  EXPECT_EQ(json["verdict"], "WRONG");
  EXPECT_EQ(json["results"][0]["launches"], 0);
}

TEST_F(Gate, ABackendThatEndsItsProcessIsWrong) {
  for (const char* faulty : {"exit_in_update", "kill_in_update", "null_read"}) {
    const Ran ran = compare("libexample_plugin", faulty,
                            {"--backend", "example", "--candidate-backend", "faulty", "--mode", "CBC", "--key-bits",
                             "128", "--bytes", "16"});
    EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("\nWRONG: 1 backend"));
  }
}

TEST_F(Gate, ASavedBaselineIsOfThisMachineOrRefused) {
  const std::string example = plugin("libexample_plugin");
  const Ran saved = run({"perf", "--plugin", example, "--mode", "ECB", "--direction", "encrypt", "--bytes", "16,64",
                         "--seconds", "0.02", "--json", "saved.json"});
  ASSERT_EQ(saved.status, 0) << saved.out << saved.err;
  const Ran ran = run(
      {"gate", "--baseline", "saved.json", "--candidate", example, "--json", "report.json", "--junit", "report.xml"});
  EXPECT_THAT(ran.status, AnyOf(Eq(0), Eq(3))) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(read("report.json"));
  EXPECT_EQ(json["verdict"] == "PASS", ran.status == 0);
  EXPECT_EQ(json["results"][0]["cells"].size(), 2u);
  EXPECT_EQ(why_not_well_formed(read("report.xml")), "");

  const auto refused = [&](const std::string& file, const std::string& candidate, const std::string& why) {
    const Ran bad = run({"gate", "--baseline", file, "--candidate", candidate});
    EXPECT_EQ(bad.status, 2) << bad.out << bad.err;
    EXPECT_EQ(bad.out, "");
    EXPECT_THAT(bad.err, AllOf(StartsWith("aesgate: "), HasSubstr(why)));
    EXPECT_EQ(std::ranges::count(bad.err, '\n'), 1) << bad.err;
  };
  auto other = nlohmann::json::parse(read("saved.json"));
  other["host"]["cpu"] = "another CPU";
  write("other.json", other.dump());
  refused("other.json", example, "other.json is of another machine: CPU: \"another CPU\" there, ");
  refused("saved.json", plugin("wrong_last_round"), "the baseline has example");
  refused("nowhere.json", example, "--baseline: nowhere.json: ");
  write("empty.json", "");
  refused("empty.json", example, "it is empty");
  write("torn.json", read("saved.json").substr(0, 400));
  refused("torn.json", example, "--baseline: torn.json: ");
  // A baseline that was twice as fast: every launch is slower, or core cycles are not known.
  auto faster = nlohmann::json::parse(read("saved.json"));
  for (auto& cell : faster["results"])
    if (cell["core_cycles_per_byte"].is_object())
      for (const char* figure : {"median", "lower_quartile", "upper_quartile"})
        cell["core_cycles_per_byte"][figure] = cell["core_cycles_per_byte"][figure].get<double>() / 2;
  write("faster.json", faster.dump());
  EXPECT_THAT(run({"gate", "--baseline", "faster.json", "--candidate", example}).status, AnyOf(Eq(1), Eq(3)));
}

TEST_F(Gate, SelfTestSaysHowManyRunsItsRatesAreOf) {
  const Ran ran = run({"gate", "--self-test", "1", "--baseline", plugin("libexample_plugin"), "--mode", "ECB",
                       "--key-bits", "128", "--bytes", "16", "--redraw", "5", "--keep-busy", "--json", "report.json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\nidentical +1 "));
  EXPECT_THAT(ran.out, ContainsRegex("\nidentical, redrawn +5 "));
  EXPECT_THAT(ran.out, HasSubstr("3 real ones in all"));
  EXPECT_THAT(ran.out, HasSubstr("a thread for each other CPU"));
  const auto json = nlohmann::json::parse(read("report.json"));
  ASSERT_EQ(json["rows"].size(), 6u);
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["runs"], row["redrawn"] ? 5 : 1);
    int verdicts = 0;
    for (const auto& count : row["verdicts"]) verdicts += count.get<int>();
    EXPECT_EQ(verdicts, row["runs"]);
  }
}

TEST_F(Gate, BadInputIsOneLineAndStatus2) {
  const auto refused = [this](const std::vector<std::string>& arguments, const std::string& why) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << ran.out << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, AllOf(StartsWith("aesgate: "), HasSubstr(why)));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  };
  const std::string example = plugin("libexample_plugin");
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"gate", "--baseline", example, "--candidate", example};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  refused({"gate"}, "--baseline is missing: ");
  refused({"gate", "--baseline", example}, "--candidate is missing: ");
  refused({"gate", "--baseline", "nowhere.so", "--candidate", example}, "--baseline: nowhere.so: no such file");
  refused({"gate", "--baseline", example, "--candidate", plugin("no_plugin")}, "exports no aesgate_backends()");
  refused({"gate", "--baseline", example, "--candidate", plugin("crash_in_constructor")}, "crashed: SIGSEGV");
  write("empty.so", "");
  refused({"gate", "--baseline", "empty.so", "--candidate", example}, "--baseline: empty.so: ");
  refused({"gate", "--baseline", example, "--candidate", plugin("in_place")}, "has no backend of");
  refused({"gate", "--baseline", AESGATE_BACKENDS_PLUGIN, "--candidate", example}, "has no backend of");
  refused(with({"--backend", "aesni"}), "has no backend \"aesni\"; it has example");
  refused(with({"--backend", "example:sbox=none"}), "unknown option");
  refused(with({"--candidate-backend", "example"}), "--candidate-backend: ");
  for (const char* threshold : {"0.75", "x", "-1%", "0%", "101%", "nan%", "1%%", "0.1%"})
    refused(with({"--threshold", threshold}), "--threshold: ");
  refused(with({"--instructions-threshold", "3"}), "--instructions-threshold: ");
  refused(with({"--count-only", "--threshold", "2%"}), "--threshold: is of time");
  refused(with({"--redraw", "5"}), "--redraw: is of --self-test");
  refused(with({"--keep-busy"}), "--keep-busy: is of --self-test");
  refused({"gate", "--baseline", example, "--self-test", "1", "--redraw", "x"}, "--redraw: ");
  refused({"gate", "--baseline", example, "--self-test", "1", "--count-only"}, "--self-test: is of time");
  refused(with({"--bytes", "24", "--mode", "CBC"}), "--bytes: a size of 24 bytes, but CBC takes multiples of 16");
  refused(with({"--bytes", "0"}), "--bytes: ");
  refused(with({"--seconds", "0"}), "--seconds: ");
  refused(with({"--self-test", "3"}), "leave --candidate out");
  refused({"gate", "--baseline", example, "--self-test", "0"}, "--self-test: ");
  refused({"gate", "--baseline", AESGATE_BACKENDS_PLUGIN, "--self-test", "1"}, "name it with --backend");
  refused(with({"--json", "a", "--markdown", "a"}), "--markdown: a is the file of --json too");
  refused(with({"--junit", "no-such-folder/x"}), "--junit: ");
}

}  // namespace
}  // namespace aesgate
