// aesgate faults, from the command line to the exit status. That the faults are caught is what the CTest test
// faults.quick runs; here is what the command makes of it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Faults : public ProgramTest {};

TEST_F(Faults, AMatrixOfWhatEachStageCaught) {
  const Ran ran =
      run({"faults", "--fault", "fault-cfb-carry", "--fault", "clean-ecb-128-only", "--json", "report.json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\n +kat +monte carlo +props +boundary +random.*\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nfault-cfb-carry +- +- +[0-9,]+ [0-9.]+s +[0-9,]+ [0-9.]+s +[0-9,]+ [0-9.]+s"));
  EXPECT_THAT(ran.out, ContainsRegex("\nclean-ecb-128-only +- +- +- +- +-"));
  EXPECT_THAT(ran.out, HasSubstr("\nfault-cfb-carry\n    props: output differs"));
  EXPECT_THAT(ran.out,
              HasSubstr("\nPASS: faults caught 1 of 1; 0 of 1 clean backends accused; effort quick, seed 1; "));
  EXPECT_EQ(files(), std::vector<std::string>{"report.json"}) << "no .case files unless --cases asks for them";
  const auto json = nlohmann::json::parse(read("report.json"));
  ASSERT_EQ(json["faults"].size(), 2u);
  EXPECT_EQ(json["faults"][0]["name"], "fault-cfb-carry");
  EXPECT_EQ(json["faults"][0]["report"], "Botan 1200");
  EXPECT_TRUE(json["faults"][0]["caught"]);
  EXPECT_FALSE(json["faults"][0]["stages"][0]["caught"]);
  EXPECT_GT(json["faults"][0]["stages"][0]["cases"], 2000);
  EXPECT_TRUE(json["faults"][0]["stages"][2]["caught"]);
  EXPECT_EQ(json["result"]["caught"], 1);
}

TEST_F(Faults, WhatNeedsMoreMayEscapeAndIsNamed) {
  const Ran ran = run({"faults", "--fault", "fault-length-of-32-bits", "--fault", "fault-claims-kernel-for-show"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\nescape, needs deep: fault-length-of-32-bits .lengths of 2.31"));
  EXPECT_THAT(ran.out, ContainsRegex("\nescape, needs proof: fault-claims-kernel-for-show "));
  EXPECT_THAT(ran.out, HasSubstr("PASS: faults caught 0 of 2; 0 of 0 clean backends accused"));
}

TEST_F(Faults, AWitnessCatchesWhatIsRightByAnotherUnit) {
  if (const std::string why = witness::why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  const Ran ran = run({"faults", "--fault", "fault-claims-none-long-calls", "--fault", "fault-claims-vaes-runs-xmm",
                       "--fault", "clean-own-unit", "--json", "report.json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(read("report.json"));
  for (const auto& fault : json["faults"]) {
    const auto& last = fault["stages"].back();
    EXPECT_EQ(last["stage"], "witness");
    EXPECT_EQ(last["caught"], last["ran"] && !fault["clean"]) << fault["name"];
  }
  EXPECT_THAT(ran.out, HasSubstr("0 of 1 clean backends accused"));
}

TEST_F(Faults, TheCaseOfAFailureReplays) {
  const Ran ran = run({"faults", "--fault", "fault-cbc-offset", "--cases", "found"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  const std::string plugin = fmt::format("{}/libaesgate_faults.so", AESGATE_PLUGINS);
  ASSERT_THAT(files(), testing::ElementsAre("found"));
  const auto first = *std::filesystem::directory_iterator(folder / "found");
  EXPECT_EQ(run({"replay", first.path().string(), "--plugin", plugin}).status, 1);
  EXPECT_EQ(run({"replay", first.path().string(), "--plugin", plugin, "--backend", "clean-plain"}).status, 0);
}

TEST_F(Faults, BadUsageIsOneLine) {
  const Ran unknown = run({"faults", "--fault", "fault-of-another"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err,
              ContainsRegex("^aesgate: --fault: unknown fault \"fault-of-another\"; .*libaesgate_faults.so"));
  EXPECT_EQ(run({"faults", "--seed", "none"}).status, 2);
  EXPECT_EQ(run({"faults", "--time-limit", "0"}).status, 2);
  EXPECT_EQ(run({"faults", "--json", "no/such/folder.json"}).status, 2);
}

}  // namespace
}  // namespace aesgate
