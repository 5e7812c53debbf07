#include "report/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/example_run_test.h"

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Junit, HasATestcaseForEachStageAndMode) {
  const ExampleRun run;
  const std::string xml = to_junit(run.summary, run.record);
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"aesgate " + std::string(version()) +
                             " verify seed 42\" tests=\"12\" failures=\"1\" errors=\"0\" time=\"1.250\">\n"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"alpha\" tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"aesgate.alpha\" name=\"kat.ECB\" time=\"0.500\">\n"
                             "      <system-out>cases: 1500 agree, 0 failed\n"
                             "cavp: 1500 agree, 0 failed\n"
                             "monte-carlo: none\n"
                             "</system-out>\n    </testcase>\n"));
  EXPECT_THAT(xml, HasSubstr("cases: 19 agree, 1 failed\nrandom: 19 agree, 1 failed\n"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"cases\" value=\"1520\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"seed\" value=\"42\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"note\" value=\"a note about the run\"/>"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"beta\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"1 of 20 cases failed\">beta CBC decrypt 256 [random: example.rsp:7 "
                             "DECRYPT COUNT=1] mismatch: output differs from the oracles at byte 17: expected 3a, got "
                             "3b\n"));
  EXPECT_THAT(xml, HasSubstr(run.record.findings().front().case_file.string()));
}

TEST(Junit, SkippedHasItsReasonAndRequiredIsAFailure) {
  ExampleRun run;
  const std::string reason = "unavailable: CPUID.7.ECX[9] VAES is not set &amp; &lt;never&gt; was";
  const std::string skipped = to_junit(run.summary, run.record);
  EXPECT_THAT(skipped, HasSubstr("<skipped message=\"" + reason + "\"/>"));
  run.summary.required = {"gamma"};
  const std::string failed = to_junit(run.summary, run.record);
  EXPECT_THAT(failed, Not(HasSubstr("<skipped message=\"" + reason)));
  EXPECT_THAT(failed, HasSubstr("<failure message=\"required, but " + reason + "\">"));
}

TEST(Junit, AnOracleFailureIsASuiteOfItsOwn) {
  ExampleRun run;
  run.record.oracle_failed(Suite::cavp, make_case({}, Key(), {}, Bytes(16), 16), "oracle-fips197",
                           {Verdict::mismatch, "output differs", Difference{"output", 0, 1, 2}});
  EXPECT_THAT(to_junit(run.summary, run.record), HasSubstr("<testsuite name=\"oracles\" tests=\"1\" failures=\"1\""));
}

TEST(XmlEscaped, LeavesNothingThatXmlCannotHold) {
  EXPECT_EQ(xml_escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_escaped(std::string("\0\x01\x1b\n\x7f", 5)), "?????");
  EXPECT_EQ(xml_escaped("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x91"), "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x91");
  EXPECT_EQ(xml_escaped("\xff\xc3["), "??[");
  EXPECT_EQ(xml_escaped("\xc0\xaf"), "??");       // overlong
  EXPECT_EQ(xml_escaped("\xed\xa0\x80"), "???");  // a surrogate
  EXPECT_EQ(xml_escaped("\xef\xbf\xbf"), "???");  // no character
  EXPECT_EQ(xml_escaped("\xe2\x82"), "??");       // cut off
}

}  // namespace
}  // namespace aesgate
