#include "props.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "core/case_text.h"
#include "faulty_backend.h"

namespace aesgate::props {
namespace {

using testing::HasSubstr;

Plan quick_plan() {
  Plan plan;
  plan.effort = Effort::quick;
  plan.key_sizes = {KeySize::bits128};
  return plan;
}

Tally tally_of(const Record& record, const Shape& shape) { return record.tally({{}, {}, {}, shape}); }

std::string first_reason(const Record& record) {
  return record.findings().empty() ? "no finding" : record.findings()[0].judgement.reason;
}

TEST(Props, ARightBackendAgreesInEveryExpectedCase) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::none), Mode::cfb128, quick_plan(), record));
  EXPECT_EQ(record.failures(), 0u) << first_reason(record);
  EXPECT_GT(record.expected(), 100u);
  EXPECT_EQ(record.done(), record.expected());
  EXPECT_EQ(record.tally({Suite::laws, {}, {}, {}}).count(Verdict::agree), record.done());
}

TEST(Props, ThreadsDoNotDisturbEachOther) {
  Record alone(testing::TempDir());
  for (const Mode mode : all_modes) ASSERT_TRUE(run_props(faulty_backend(Fault::none), mode, quick_plan(), alone));
  Record together(testing::TempDir());
  {
    std::vector<std::jthread> threads;
    for (const Mode mode : all_modes)
      threads.emplace_back([&, mode] {
        if (!run_props(faulty_backend(Fault::none), mode, quick_plan(), together)) together.note("an Error");
      });
  }
  EXPECT_EQ(together.failures(), 0u) << first_reason(together);
  EXPECT_TRUE(together.notes().empty());
  EXPECT_EQ(together.tally({}).count(Verdict::agree), alone.tally({}).count(Verdict::agree));
}

TEST(Props, ASlowBackendRunsFewerTestsAndTheRecordSaysSo) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::takes_its_time), Mode::ecb, quick_plan(), record));
  EXPECT_EQ(record.failures(), 0u) << first_reason(record);
  EXPECT_GT(record.done(), 0u);
  EXPECT_EQ(record.done(), record.expected());
  ASSERT_EQ(record.notes().size(), 1u);
  EXPECT_THAT(record.notes()[0], testing::MatchesRegex("laws: .* ECB ran [0-9]+ of [0-9]+ tests: all would have taken "
                                                       "it more than 8 ms a law and shape"));
}

TEST(Props, NothingIsPrinted) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Record record(testing::TempDir());
  const Result<void> ran = run_props(faulty_backend(Fault::in_place), Mode::ofb, quick_plan(), record);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_TRUE(ran);
  EXPECT_GT(record.failures(), 0u);
}

TEST(Props, ACrashIsNoMismatch) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::crashes), Mode::ecb, quick_plan(), record));
  const Tally tally = record.tally({});
  EXPECT_GT(tally.count(Verdict::crashed), 0u);
  EXPECT_EQ(tally.count(Verdict::mismatch), 0u);
  EXPECT_THAT(first_reason(record), HasSubstr("SIGSEGV in update()"));
}

TEST(Props, MemoryIsJudgedThoughEachLawHolds) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::writes_past_the_end), Mode::ofb, quick_plan(), record));
  EXPECT_GT(record.tally({}).count(Verdict::mismatch), 0u);
  EXPECT_THAT(first_reason(record), HasSubstr("seen in a test of law"));
}

TEST(Props, ALengthThatMustBeRefusedIsProbed) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::takes_any_length), Mode::cbc, quick_plan(), record));
  EXPECT_GT(record.tally({}).count(Verdict::failed), 0u);
  EXPECT_THAT(first_reason(record), HasSubstr("refuse"));
}

TEST(Props, AnUnsupportedShapeIsNotRun) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::no_decrypt), Mode::cbc, quick_plan(), record));
  EXPECT_EQ(record.failures(), 0u) << first_reason(record);
  const Tally decrypt = tally_of(record, {Mode::cbc, Direction::decrypt, KeySize::bits128});
  EXPECT_EQ(decrypt.count(Verdict::unsupported), 1u);
  EXPECT_EQ(decrypt.total(), 1u);
  EXPECT_GT(tally_of(record, {Mode::cbc, Direction::encrypt, KeySize::bits128}).count(Verdict::agree), 0u);
  ASSERT_EQ(record.notes().size(), 1u);
  EXPECT_THAT(record.notes()[0],
              HasSubstr("law decrypt-inverts-encrypt was not tested in every shape: it needs CBC decrypt 128"));
}

TEST(Props, ABackendThatGoesAwayFailsAndEndsTheStage) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::goes_away), Mode::ofb, quick_plan(), record));
  const Tally tally = record.tally({});
  EXPECT_GT(tally.count(Verdict::agree), 0u);
  EXPECT_EQ(tally.count(Verdict::failed), 1u);
  EXPECT_THAT(tally.reasons[static_cast<std::size_t>(Verdict::failed)],
              HasSubstr("unavailable after Cases of this backend had agreed"));
}

TEST(Props, AnUnavailableBackendIsNotRun) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::unavailable), Mode::ofb, quick_plan(), record));
  const Tally tally = record.tally({});
  EXPECT_EQ(tally.count(Verdict::unavailable), tally.total());
  EXPECT_EQ(tally.count(Verdict::agree), 0u);
  EXPECT_EQ(tally.reason(Verdict::unavailable), "it is switched off");
}

TEST(Props, ALawThatCannotBeAskedIsNoted) {
  Record record(testing::TempDir());
  ASSERT_TRUE(run_props(faulty_backend(Fault::no_chaining_value), Mode::ofb, quick_plan(), record));
  EXPECT_EQ(record.failures(), 0u) << first_reason(record);
  ASSERT_EQ(record.notes().size(), 1u);
  EXPECT_THAT(record.notes()[0], HasSubstr("law chaining-value-follows was not tested"));
}

bool everywhere(const Shape&) { return true; }

/// Runs one Case and keeps its text.
std::vector<std::string> spied;
std::string spy(Trial& trial, const Draft& draft) {
  spied.push_back(to_text(trial.run(handled_case(draft)).c));
  return {};
}

TEST(Props, TheSeedDecidesTheCasesAndTheBackendDoesNot) {
  const Law law{"spy", "", "", everywhere, 0, 1, spy};
  const Shape shape{Mode::cfb1, Direction::encrypt, KeySize::bits256};
  const auto cases_of = [&](Fault fault, std::uint64_t seed) {
    spied.clear();
    Record record(testing::TempDir());
    Allowance unlimited;
    EXPECT_TRUE(run_law(law, faulty_backend(fault), shape, 25, seed, record, unlimited));
    EXPECT_EQ(spied.size(), 25u);
    return spied;
  };
  const std::vector<std::string> first = cases_of(Fault::none, 1);
  EXPECT_EQ(cases_of(Fault::none, 1), first);
  EXPECT_EQ(cases_of(Fault::no_chaining_value, 1), first);
  EXPECT_NE(cases_of(Fault::none, 2), first);
}

std::string never_holds(Trial& trial, const Draft& draft) {
  trial.run(whole_case(draft));
  trial.run(handled_case(draft));
  return "the law is wrong";
}

TEST(Props, ABrokenLawWithoutAWrongCaseNamesAllItsCases) {
  const Law law{"never-holds", "", "", everywhere, 0, 2, never_holds};
  Record record(testing::TempDir());
  Allowance unlimited;
  ASSERT_TRUE(run_law(law, faulty_backend(Fault::none), {Mode::ecb, Direction::encrypt, KeySize::bits128}, 10, 1,
                      record, unlimited));
  ASSERT_EQ(record.findings().size(), 1u);
  const Judgement& judgement = record.findings()[0].judgement;
  EXPECT_EQ(judgement.verdict, Verdict::mismatch);
  EXPECT_THAT(judgement.reason,
              HasSubstr("this breaks law never-holds: the law is wrong; yet each Case by itself agrees"));
  EXPECT_THAT(judgement.reason, HasSubstr("mode = ECB;"));
}

}  // namespace
}  // namespace aesgate::props
