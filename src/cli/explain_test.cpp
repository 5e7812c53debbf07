#include <algorithm>

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Explain : public ProgramTest {
 protected:
  static constexpr const char* fast = "Doing aes-128 cbc for 3s on 16 size blocks: 3000000 aes-128 cbc's in 3.00s\n";

  void expect_refused(const std::vector<std::string>& arguments, const std::string& what) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, StartsWith("aesgate: " + what));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
};

TEST_F(Explain, SeveralFilesAndJson) {
  write("a.txt", fast);
  write("b.txt", fast);
  const Ran ran = run({"explain", "a.txt", "b.txt", "--json", "out.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* part :
       {"Runs\n", "b.txt:1: AES-128-CBC", "\nFacts", "\nInferences", "\nLikely causes", "\nRun next\n"})
    EXPECT_THAT(ran.out, HasSubstr(part));
  const auto json = nlohmann::json::parse(read("out.json"));
  EXPECT_EQ(json["command"], "explain");
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_NEAR(json["runs"][1]["samples"][0]["elapsed_bytes_per_second"].get<double>(), 16e6, 1);
  EXPECT_EQ(run({"explain", "a.txt", "b.txt", "--json", "-"}).out, read("out.json"));
}

TEST_F(Explain, ARefusedEngineIsAFailure) {
  write("a.txt", std::string("Invalid engine \"afalg\"\n") + fast);
  const Ran ran = run({"explain", "a.txt"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("silent fallback"));
}

TEST_F(Explain, WhatCannotBeReadIsOneLine) {
  write("empty", "");
  write("letter", "Dear list,\nthe speed is the same.\n");
  write("good", fast);
  expect_refused({"explain", "nowhere"}, "nowhere: No such file or directory");
  expect_refused({"explain", "."}, ".: is a directory");
  expect_refused({"explain", "empty"}, "empty:1: the file is empty");
  expect_refused({"explain", "good", "letter"}, "letter:1: \"Dear list,\": no benchmark output that is known");
  expect_refused({"explain", "-"}, "standard input:1: the file is empty");
  expect_refused({"explain", "-", "-"}, "FILE: standard input can be read once only");
  expect_refused({"explain", "good", "--json", "good"}, "--json: good is read by this run");
  expect_refused({"explain"}, "FILE");
}

}  // namespace
}  // namespace aesgate
