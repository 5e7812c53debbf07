#include "report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/example_run_test.h"

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Conclude, AMismatchIsStatus1AndNamesTheCell) {
  const ExampleRun run;
  const Conclusion conclusion = conclude(run.summary, run.record);
  EXPECT_EQ(conclusion.exit_status, 1);
  EXPECT_EQ(conclusion.verdict, "fail");
  EXPECT_EQ(conclusion.sentence, "FAIL: 1 of 3,040 cases failed: beta CBC");
}

TEST(Conclude, FailuresAreInTheOrderOfModesAndAllModesAreOneWord) {
  ExampleRun run;
  Record record(run.folder);
  const auto fail = [&](const aesgate_backend& backend, Mode mode) {
    record.judged(Suite::random, backend,
                  make_case({mode, Direction::encrypt, KeySize::bits128}, Key(), Block{}, Bytes(16), 16),
                  {Verdict::mismatch, "output differs", Difference{"output", 0, 1, 2}});
  };
  for (const Mode mode : {Mode::cfb128, Mode::cfb1, Mode::ecb}) fail(run.beta, mode);
  for (const Mode mode : all_modes) fail(run.alpha, mode);
  EXPECT_EQ(conclude(run.summary, record).sentence,
            "FAIL: 9 of 9 cases failed: alpha (all modes), beta ECB, beta CFB1, beta CFB128");
}

TEST(Conclude, APassSaysHowManyDidNotRun) {
  ExampleRun run;
  Record record(run.folder);
  record.judged(Suite::cavp, run.alpha, make_case({}, Key(), {}, Bytes(16), 16), {});
  const Conclusion conclusion = conclude(run.summary, record);
  EXPECT_EQ(conclusion.exit_status, 0);
  EXPECT_EQ(conclusion.sentence, "PASS: 1 case in 1 backend, all agree; 2 backends not run");
}

TEST(Conclude, RequiredButUnavailableIsStatus3WithTheReason) {
  ExampleRun run;
  run.summary.required = {"gamma"};
  Record record(run.folder);
  record.judged(Suite::cavp, run.alpha, make_case({}, Key(), {}, Bytes(16), 16), {});
  const Conclusion conclusion = conclude(run.summary, record);
  EXPECT_EQ(conclusion.exit_status, 3);
  EXPECT_THAT(conclusion.sentence, HasSubstr(fmt::format("gamma (unavailable: {})", ExampleRun::why_gamma)));
}

TEST(Conclude, ARefutedClaimIsAFailure) {
  ExampleRun run;
  Record record(run.folder);
  record.judged(Suite::cavp, run.alpha, make_case({}, Key(), {}, Bytes(16), 16), {});
  run.summary.backends[0].evidence = {witness::Proof::refuted, "none", "says vaes.zmm, but it ran tables", {}};
  const Conclusion conclusion = conclude(run.summary, record);
  EXPECT_EQ(conclusion.exit_status, 1);
  EXPECT_EQ(conclusion.verdict, "claim refuted");
  EXPECT_EQ(conclusion.sentence, "FAIL: claims refuted: alpha (says vaes.zmm, but it ran tables)");
}

TEST(Conclude, WhatIsNotProvenIsMissingOnlyWhereProofIsRequired) {
  ExampleRun run;
  Record record(run.folder);
  record.judged(Suite::cavp, run.alpha, make_case({}, Key(), {}, Bytes(16), 16), {});
  run.summary.backends[0].evidence = {witness::Proof::unknown, "", "no single steps", {}};
  EXPECT_EQ(conclude(run.summary, record).exit_status, 0);
  run.summary.requires_proof = true;
  const Conclusion conclusion = conclude(run.summary, record);
  EXPECT_EQ(conclusion.exit_status, 3);
  EXPECT_EQ(conclusion.sentence, "NOT PROVEN: what ran is not proven: alpha (UNKNOWN: no single steps)");
  run.summary.backends[0].evidence = {witness::Proof::proven, "aes.xmm", "", {}};
  EXPECT_EQ(conclude(run.summary, record).exit_status, 0);
  EXPECT_EQ(short_text(*run.summary.backends[0].evidence), "PROVEN aes.xmm");
}

TEST(Conclude, NothingCheckedIsNoPass) {
  const ExampleRun run;
  EXPECT_EQ(conclude(run.summary, Record(run.folder)).exit_status, 3);
}

TEST(Conclude, OraclesThatDisagreeOutrankAll) {
  ExampleRun run;
  run.record.oracle_failed(Suite::cavp, make_case({}, Key(), {}, Bytes(16), 16), "oracle-fips197",
                           {Verdict::mismatch, "output differs", Difference{"output", 0, 1, 2}});
  const Conclusion conclusion = conclude(run.summary, run.record);
  EXPECT_EQ(conclusion.exit_status, 1);
  EXPECT_EQ(conclusion.verdict, "oracles disagree");
  EXPECT_EQ(sorted_findings(run.summary, run.record).front()->backend, "oracle-fips197");
}

TEST(Conclude, AVectorThatBothOraclesContradictIsSuspect) {
  ExampleRun run;
  Case c = make_case({}, Key(), {}, Bytes(16), 16);
  const std::string both_say = "both oracles say 02: the published value is suspect";
  const Judgement judgement{Verdict::mismatch, "output differs", Difference{"output", 0, 1, 2}};
  c.origin = "a.rsp:1";
  for (const char* oracle : {"oracle-cryptopp", "oracle-fips197"})
    run.record.vector_suspected(Suite::cavp, c, oracle, judgement, both_say);
  const Conclusion one = conclude(run.summary, run.record);
  EXPECT_EQ(one.exit_status, 1);
  EXPECT_EQ(one.verdict, "vector suspect");
  EXPECT_EQ(one.sentence, "FAIL: " + both_say + "; no backend can be judged");
  EXPECT_EQ(sorted_findings(run.summary, run.record).front()->judgement.reason, "output differs; " + both_say);
  c.origin = "b.rsp:2";
  run.record.vector_suspected(Suite::cavp, c, "oracle-fips197", judgement, both_say);
  EXPECT_THAT(conclude(run.summary, run.record).sentence, HasSubstr(both_say + " (and 1 more vector)"));
  run.record.oracle_failed(Suite::cavp, c, "oracle-fips197", judgement);
  EXPECT_EQ(conclude(run.summary, run.record).verdict, "oracles disagree") << "an oracle in doubt suspects nothing";
}

TEST(Grouped, PutsACommaBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace aesgate
