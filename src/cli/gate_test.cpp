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

TEST_F(Gate, SelfTestSaysHowManyRunsItsRatesAreOf) {
  const Ran ran = run({"gate", "--self-test", "1", "--baseline", plugin("libexample_plugin"), "--mode", "ECB",
                       "--key-bits", "128", "--bytes", "16", "--json", "report.json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\nidentical +1 "));
  EXPECT_THAT(ran.out, HasSubstr("what 3 runs, all of them real, can say"));
  const auto json = nlohmann::json::parse(read("report.json"));
  ASSERT_EQ(json["rows"].size(), 3u);
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["runs"], 1);
    int verdicts = 0;
    for (const auto& count : row["verdicts"]) verdicts += count.get<int>();
    EXPECT_EQ(verdicts, 1);
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
  refused({"gate"}, "--baseline: names no plugin");
  refused({"gate", "--baseline", example}, "--candidate: names no plugin");
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
