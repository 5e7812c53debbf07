#include "report/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/example_run_test.h"

namespace aesgate {
namespace {

Judgement with(Warning warning, std::string where) {
  Judgement judgement;
  judgement.warnings[static_cast<std::size_t>(warning)] = std::move(where);
  return judgement;
}

TEST(record, warnings_are_one_note_a_backend_and_kind_and_no_failure) {
  ExampleRun run;
  Record record(run.folder);
  const Case c = make_case({}, Key(), {}, Bytes(16), 16);
  EXPECT_TRUE(record.notes().empty());
  record.note("a note");
  record.judged(Suite::cavp, run.alpha, c, with(Warning::upper_halves, "update() 2, of 16 at 16"));
  record.judged(Suite::random, run.alpha, c, with(Warning::upper_halves, "update() 1, of 16 at 0"));
  record.judged(Suite::random, run.beta, c, with(Warning::key_on_stack, "update() 1, of 16 at 0: the key"));
  EXPECT_EQ(record.failures(), 0u);
  EXPECT_THAT(
      record.notes(),
      testing::ElementsAre(
          "a note",
          "alpha: it leaves upper halves of vector registers in use, which is slow and not wrong: in 2 cases, "
          "such as ECB encrypt 128, update() 1, of 16 at 0",
          "beta: it leaves round keys on the stack, where they stay until something else is written there: in 1 "
          "case, such as ECB encrypt 128, update() 1, of 16 at 0: the key"));
}

}  // namespace
}  // namespace aesgate
