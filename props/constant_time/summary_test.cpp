#include "props/constant_time/summary.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace aesgate::constant_time {
namespace {

using testing::HasSubstr;

Conclusion conclusion(const std::string& name, Claim claim, State state) {
  Conclusion c;
  c.subject.name = name;
  c.subject.claim = claim;
  c.state = state;
  c.shapes_clean = state == State::constant_time ? 36 : 0;
  c.shapes_leaking = state == State::leaks ? 36 : 0;
  if (state == State::leaks) c.leaks.push_back({{"sub_word", "sbox.cpp", 41, ""}, "an address depends on it", 36});
  if (state == State::unknown) c.reason = "SIGSEGV";
  return c;
}

Summary good() {
  Summary summary;
  summary.conclusions = {conclusion("sbox", Claim::leaks, State::leaks),
                         conclusion("bitslice", Claim::constant_time, State::constant_time),
                         conclusion("openssl", Claim::none, State::leaks)};
  summary.controls = {conclusion("sbox", Claim::leaks, State::leaks), conclusion("ttable", Claim::leaks, State::leaks)};
  return summary;
}

TEST(ConstantTimeSummary, WhatMayLeakIsNoFailure) {
  const Sentence sentence = conclude(good());
  EXPECT_EQ(sentence.exit_status, 0);
  EXPECT_THAT(sentence.text, HasSubstr("PASS: 1 constant-time; 2 "));
}

TEST(ConstantTimeSummary, AClaimThatDoesNotHoldFails) {
  Summary summary = good();
  summary.conclusions[1] = conclusion("bitslice", Claim::constant_time, State::leaks);
  EXPECT_EQ(conclude(summary).exit_status, 1);
  EXPECT_EQ(conclude(summary).text, "FAIL: bitslice leaks at sub_word (sbox.cpp:41)");
  summary = good();
  summary.judged = {"openssl"};
  EXPECT_EQ(conclude(summary).exit_status, 1);
}

TEST(ConstantTimeSummary, AControlThatDoesNotLeakMakesItWorthNothing) {
  for (const State state : {State::constant_time, State::unknown, State::unavailable}) {
    Summary summary = good();
    summary.controls[1] = conclusion("ttable", Claim::leaks, state);
    EXPECT_EQ(conclude(summary).exit_status, 3);
    EXPECT_THAT(conclude(summary).text, HasSubstr("INVALID: "));
    EXPECT_EQ(to_json(summary)["verdict"], "invalid");
  }
  Summary summary = good();
  summary.conclusions[0] = conclusion("sbox", Claim::leaks, State::constant_time);
  EXPECT_EQ(conclude(summary).exit_status, 3);
}

TEST(ConstantTimeSummary, WhatCameToNoEndIsNotProven) {
  Summary summary = good();
  summary.conclusions[1] = conclusion("bitslice", Claim::constant_time, State::unknown);
  EXPECT_EQ(conclude(summary).exit_status, 3);
  EXPECT_EQ(conclude(summary).text, "NOT PROVEN: bitslice (unknown: SIGSEGV)");
  // What the CPU lacks is no failure, unless it is required.
  summary.conclusions[1] = conclusion("bitslice", Claim::constant_time, State::unavailable);
  EXPECT_EQ(conclude(summary).exit_status, 0);
  summary.required = {"bitslice"};
  EXPECT_EQ(conclude(summary).exit_status, 3);
  summary = good();
  summary.conclusions = {conclusion("openssl", Claim::none, State::unknown)};
  EXPECT_EQ(conclude(summary).exit_status, 3);
}

TEST(ConstantTimeSummary, WhatNoWorkerWasAskedAboutHasNoEvidence) {
  Summary summary = good();
  summary.conclusions.push_back(conclusion("padlock", Claim::none, State::unknown));
  EXPECT_THAT(to_text(summary, false), testing::Not(HasSubstr("0 traces")));
  summary.conclusions.back().keys = 2;
  EXPECT_THAT(to_text(summary, false), HasSubstr("2 traces"));
}

TEST(ConstantTimeSummary, TextAndJsonNameThePlace) {
  EXPECT_THAT(to_text(good(), false), HasSubstr("openssl leaks at sub_word (sbox.cpp:41): an address depends on it\n"));
  const auto json = to_json(good());
  EXPECT_EQ(json["backends"][0]["leaks"][0]["line"], 41);
  EXPECT_EQ(json["backends"][1]["verdict"], "constant-time");
  EXPECT_EQ(json["exit_status"], 0);
}

}  // namespace
}  // namespace aesgate::constant_time
