// aesgate perf, from the command line to what it prints. Its figures are no business of these tests.

#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Perf : public ProgramTest {
 protected:
  Ran one_cell(const std::vector<std::string>& more, const std::vector<std::string>& variables = {}) {
    std::vector<std::string> arguments{"perf",    "--backend", "sbox", "--mode",    "ECB",  "--direction",
                                       "encrypt", "--bytes",   "16",   "--seconds", "0.001"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(std::move(arguments), variables);
  }
};

TEST_F(Perf, TheSeedIsTheOneAskedFor) {
  EXPECT_EQ(nlohmann::json::parse(one_cell({"--json", "-", "--seed", "7"}).out)["seed"], 7);
  EXPECT_EQ(nlohmann::json::parse(one_cell({"--json", "-"}, {"AESGATE_SEED=8"}).out)["seed"], 8);
  EXPECT_EQ(one_cell({"--seed", "x"}).status, 2);
}

TEST_F(Perf, LessThanASecondIsNotNone) {
  EXPECT_THAT(one_cell({}).err, HasSubstr(" to time, less than a second and what checking them takes\n"));
}

class NothingToTime : public ProgramTest {
 protected:
  Ran time(std::vector<std::string> more) {
    more.insert(more.begin(), {"perf", "--backend", "cryptodev", "--mode", "CBC"});
    return run(std::move(more));
  }
};

TEST_F(NothingToTime, TheReasonIsSaidOnceAndWithoutATable) {
  const Ran ran = time({});
  if (ran.status == 0) GTEST_SKIP() << "a machine with /dev/crypto";
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\ncryptodev: not timed, unavailable: "), Not(HasSubstr("vs fastest"))));
  EXPECT_THAT(ran.err, Not(HasSubstr("0 cells")));
}

TEST_F(NothingToTime, AFormatThatHasNoPlaceForTheReasonLeavesItToStandardError) {
  const Ran ran = time({"--format", "openssl"});
  if (ran.status == 0) GTEST_SKIP() << "a machine with /dev/crypto";
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("aesgate: nothing was timed: cryptodev: unavailable: "));
}

}  // namespace
}  // namespace aesgate
