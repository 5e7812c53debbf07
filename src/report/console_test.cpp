#include "report/console.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/case_text.h"
#include "report/example_run_test.h"

namespace aesgate {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(Console, TheMatrixHasANumberOrAReasonInEachCell) {
  const ExampleRun run;
  const std::string text = to_console(run.summary, run.record, false);
  EXPECT_THAT(text, HasSubstr("backend    ECB          CBC\n"
                              "alpha    1,500           20\n"
                              "beta     1,500  FAIL 1/20 a\n"
                              "gamma      - b          - b\n"));
  EXPECT_THAT(text, HasSubstr("backend   cavp  monte-carlo       random\n"
                              "alpha    1,500            -           20\n"
                              "beta     1,500            -  FAIL 1/20 a\n"
                              "gamma      - b          - b          - b\n"));
  EXPECT_THAT(text, HasSubstr("  a  unsupported: this backend does not do it\n"));
  EXPECT_THAT(text, HasSubstr(fmt::format("  b  unavailable: {}\n", ExampleRun::why_gamma)));
  EXPECT_THAT(text, HasSubstr("note: a note about the run\n"));
}

TEST(Console, SaysWhatTheNumbersAfterFailAreIfThereAreAny) {
  const ExampleRun run;
  EXPECT_THAT(to_console(run.summary, run.record, false), HasSubstr("\nFAIL n/m: n of m cases failed\n"));
  Record record(run.folder);
  record.judged(Suite::cavp, run.alpha, make_case({}, Key(), {}, Bytes(16), 16), {});
  EXPECT_THAT(to_console(run.summary, record, false), Not(HasSubstr("FAIL")));
}

TEST(Console, OneBackendThatFailsInEverythingHidesNoOther) {
  std::vector<Finding> all;
  for (const char* backend : {"a", "b", "c"})
    for (const Mode mode : all_modes)
      for (int i = 0; i < 3; ++i)
        all.push_back({Suite::random, backend, {mode, Direction::encrypt, KeySize::bits128}, {}, {}, {}, {}});
  std::vector<const Finding*> findings;
  for (const Finding& finding : all) findings.push_back(&finding);
  const std::string text = findings_text(findings, {}, false);
  for (const char* backend : {"a", "b", "c"}) EXPECT_THAT(text, HasSubstr(fmt::format("FAIL {} ECB", backend)));
  for (const Mode mode : all_modes) EXPECT_THAT(text, HasSubstr(fmt::format("FAIL a {} ", name(mode))));
  EXPECT_THAT(text, HasSubstr("and 42 more, each"));
}

TEST(Console, AFindingHasOffsetValuesSeedAndAFileThatReplaysIt) {
  const ExampleRun run;
  const std::string text = to_console(run.summary, run.record, false);
  ASSERT_EQ(run.record.findings().size(), 1u);
  const std::filesystem::path file = run.record.findings().front().case_file;
  EXPECT_THAT(text, HasSubstr("FAIL beta CBC decrypt 256: mismatch\n"));
  EXPECT_THAT(text, HasSubstr("byte 17 (0x11) of: output\n"));
  EXPECT_THAT(text, HasSubstr("expected 3a, got 3b\n"));
  EXPECT_THAT(text, HasSubstr("random: example.rsp:7 DECRYPT COUNT=1\n"));
  EXPECT_THAT(text, HasSubstr("seed      42\n"));
  EXPECT_THAT(text, HasSubstr("aesgate replay " + file.string() + '\n'));
  const Result<Case> c = read_case(file);
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->backend, "beta");
}

TEST(Console, EndsInTheVerdictWithSeedAndTime) {
  const ExampleRun run;
  EXPECT_THAT(to_console(run.summary, run.record, false),
              EndsWith("\nFAIL: 1 of 3,040 cases failed: beta CBC; seed 42; 1.2 s\n"));
}

TEST(Console, HasEscapesOnlyWithColourAndTheSameTextWithout) {
  const ExampleRun run;
  const std::string plain = to_console(run.summary, run.record, false);
  EXPECT_THAT(plain, Not(HasSubstr("\033")));
  std::string coloured = to_console(run.summary, run.record, true);
  EXPECT_THAT(coloured, HasSubstr("\033[1;31mFAIL 1/20 a\033[0m"));
  for (std::size_t at = 0; (at = coloured.find('\033')) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, plain);
}

TEST(Console, SaysNothingOfBackendsWhenTheOraclesFail) {
  ExampleRun run;
  run.record.oracle_failed(Suite::cavp, make_case({}, Key(), {}, Bytes(16), 16), "oracle-fips197",
                           {Verdict::mismatch, "output differs", Difference{"output", 0, 1, 2}});
  const std::string text = to_console(run.summary, run.record, false);
  EXPECT_THAT(text, Not(HasSubstr("alpha ")));
  EXPECT_THAT(text, HasSubstr("FAIL oracle-fips197 ECB encrypt 128: mismatch\n"));
}

TEST(Console, StaysNarrow) {
  ExampleRun run;
  for (int i = 0; i < 20; ++i)
    run.record.note(fmt::format("{} {}", i, std::string(40, 'x') + ' ' + std::string(70, 'y')));
  std::istringstream text(to_console(run.summary, run.record, false));
  for (std::string line; std::getline(text, line);)
    if (line.find(".case") == std::string::npos) {
      EXPECT_LE(line.size(), 100u) << line;
    }
}

}  // namespace
}  // namespace aesgate
