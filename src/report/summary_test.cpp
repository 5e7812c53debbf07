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

TEST(Grouped, PutsACommaBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace aesgate
