// aesgate perf --count, from the command line to the exit status.

#include <algorithm>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Count : public ProgramTest {
 protected:
  Ran count(std::vector<std::string> more) {
    std::vector<std::string> arguments{"perf", "--count", "--mode", "CBC", "--direction", "encrypt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(std::move(arguments));
  }
};

TEST_F(Count, TwoRunsGiveTheSame) {
  const std::vector<std::string> arguments{"--backend", "sbox", "--bytes", "32,16", "--json", "-"};
  const Ran first = count(arguments);
  if (first.status == 3 && first.err.find("single steps") != std::string::npos) GTEST_SKIP() << first.err;
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  const auto json = nlohmann::json::parse(first.out);
  ASSERT_EQ(json["results"].size(), 2u);
  EXPECT_EQ(json["results"][0]["bytes"], 16);
  EXPECT_GT(json["results"][0]["instructions"], 160);
  EXPECT_EQ(json["results"][0]["aes_instructions"], 0);
  EXPECT_EQ(json["results"][1]["instructions_a_byte"],
            (json["results"][1]["instructions"].get<double>() - json["results"][0]["instructions"].get<double>()) / 16);
  EXPECT_EQ(count(arguments).out, first.out);
}

TEST_F(Count, WhatIsWrongIsNotCounted) {
  const Ran ran = count({"--plugin", std::string(AESGATE_PLUGINS) + "/wrong_last_round.so", "--bytes", "16"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("- faulty: mismatch: "));
  EXPECT_THAT(ran.out, HasSubstr("FAIL faulty CBC encrypt 128: mismatch"));
}

TEST_F(Count, WhatRunsElsewhereIsNotCountedEither) {
  const Ran ran = count({"--backend", "padlock", "--emulate", "padlock", "--bytes", "16", "--require", "padlock"});
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("NOT PROVEN: required, but not counted: padlock ("));
}

TEST_F(Count, AModelThatIsNotThereIsOneLine) {
  const Ran wrong = count({"--backend", "sbox", "--bytes", "16", "--model", "z80"});
  EXPECT_THAT(wrong.err, AllOf(StartsWith("aesgate: "), HasSubstr("llvm-mca")));
  EXPECT_EQ(std::ranges::count(wrong.err, '\n'), 1) << wrong.err;
  EXPECT_EQ(wrong.out, "");
  // Without llvm-mca it cannot be told whether there is such a CPU.
  EXPECT_EQ(wrong.status, wrong.err.find("has no CPU \"z80\"") != std::string::npos ? 2 : 3);
}

TEST_F(Count, ModelledCyclesAreTheSameToTheDigit) {
  const std::vector<std::string> arguments{"--backend",        "sbox",   "--bytes", "16", "--model",
                                           "znver3,alderlake", "--json", "-"};
  const Ran first = count(arguments);
  if (first.status == 3) GTEST_SKIP() << first.err;
  ASSERT_EQ(first.status, 0) << first.out << first.err;
  const auto json = nlohmann::json::parse(first.out);
  EXPECT_EQ(json["command"], "perf --count");
  EXPECT_THAT(json["modeller"].get<std::string>(), StartsWith("llvm-mca "));
  const auto& modelled = json["results"][0]["modelled"];
  ASSERT_EQ(modelled.size(), 2u);
  EXPECT_EQ(modelled[1]["cpu"], "alderlake");
  // An instruction is one of up to six in a cycle, and none takes a hundred.
  const double instructions = json["results"][0]["instructions"];
  EXPECT_GT(modelled[0]["cycles_a_call"], instructions / 8);
  EXPECT_LT(modelled[0]["cycles_a_call"], instructions * 8);
  EXPECT_EQ(count(arguments).out, first.out);
}

TEST_F(Count, BadSizesAreOneLine) {
  for (const char* bytes : {"24", "65537", "0"}) {
    const Ran ran = count({"--backend", "sbox", "--bytes", bytes});
    EXPECT_EQ(ran.status, 2) << ran.out << ran.err;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
}

}  // namespace
}  // namespace aesgate
