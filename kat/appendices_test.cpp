#include <set>

#include <gtest/gtest.h>

#include "core/execute.h"
#include "kat/fips197.h"
#include "kat/sp800_38a.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// Both oracles give what is printed, and would not with one bit of it flipped.
void expect_printed(const Case& c) {
  for (const aesgate_backend* oracle : oracles()) {
    const Outcome outcome = execute(*oracle, c);
    const Judgement judgement = judge(c, outcome, Answer{c.expected.value()});
    EXPECT_EQ(judgement.verdict, Verdict::agree) << oracle->name << ": " << c.origin << ": " << judgement.reason;
    Case wrong = c.copy();
    wrong.expected->back() ^= 1;
    EXPECT_EQ(judge(wrong, outcome, Answer{c.expected.value()}).verdict, Verdict::mismatch) << c.origin;
  }
}

TEST(appendices, fips197_results_are_what_both_oracles_give) {
  const std::vector<Case> cases = fips197_cases();
  EXPECT_EQ(cases.size(), 8u);
  for (const Case& c : cases) expect_printed(c);
}

TEST(appendices, sp800_38a_results_are_what_both_oracles_give) {
  std::set<std::string> examples;
  for (const Mode mode : all_modes) {
    const std::vector<Case> cases = sp800_38a_cases(mode);
    EXPECT_EQ(cases.size(), 12u) << name(mode);
    for (const Case& c : cases) {
      EXPECT_EQ(c.shape.mode, mode);
      EXPECT_TRUE(examples.insert(c.origin).second) << c.origin;
      expect_printed(c);
    }
  }
}

TEST(appendices, sp800_38a_examples_have_the_numbers_of_the_standard) {
  const auto shape_of = [](Mode mode, const std::string& origin) {
    for (const Case& c : sp800_38a_cases(mode))
      if (c.origin == origin) return name(c.shape);
    return std::string("none");
  };
  EXPECT_EQ(shape_of(Mode::ecb, "SP 800-38A F.1.1"), "ECB encrypt 128");
  EXPECT_EQ(shape_of(Mode::cbc, "SP 800-38A F.2.6"), "CBC decrypt 256");
  EXPECT_EQ(shape_of(Mode::cfb1, "SP 800-38A F.3.3"), "CFB1 encrypt 192");
  EXPECT_EQ(shape_of(Mode::cfb8, "SP 800-38A F.3.8"), "CFB8 decrypt 128");
  EXPECT_EQ(shape_of(Mode::cfb128, "SP 800-38A F.3.18"), "CFB128 decrypt 256");
  EXPECT_EQ(shape_of(Mode::ofb, "SP 800-38A F.4.6"), "OFB decrypt 256");
}

TEST(appendices, split_examples_have_a_call_for_every_segment) {
  const auto calls = [](Mode mode) { return sp800_38a_cases(mode).at(1).chunks.size(); };
  EXPECT_EQ(calls(Mode::ecb), 4u);
  EXPECT_EQ(calls(Mode::cfb1), 16u);
  EXPECT_EQ(calls(Mode::cfb8), 18u);
}

}  // namespace
}  // namespace aesgate
