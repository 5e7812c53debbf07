#include "witness/single_step.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "witness/instruction.h"
#include "witness/shared_trace.h"

namespace aesgate::witness {
namespace {

using std::chrono::seconds;

#if defined(__x86_64__)

volatile unsigned sink;
const std::uint8_t table[256] = {1, 2, 3};

/// Reads the table at `at`; not inlined, so that its instructions are the same ones in each child.
__attribute__((noinline)) void look_up(std::uint8_t at) { sink = table[at]; }
__attribute__((noinline)) void branch(std::uint8_t on) {
  if (on > 3) asm volatile("nop; nop");
  sink = on;
}

class SingleStep : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  }

  template <typename Function>
  Ending record(Function function, SharedTrace& trace) {
    trace.clear();
    const auto observer = [&](const Step& step) { return trace.add(step); };
    return single_step(function, observer, seconds(20));
  }

  // The first call of a function goes through the dynamic linker, which takes some thousands.
  SharedTrace first{1u << 16}, second{1u << 16};
};

TEST(SingleSteps, ArePossibleHereOrThereIsAReason) {
  const auto observer = [](const Step&) { return true; };
  const Ending ending = single_step([] { look_up(7); }, observer, seconds(20));
  EXPECT_EQ(why_no_single_steps().empty(), ending.how == Ending::How::returned);
}

TEST_F(SingleStep, SeesTheAddressThatAnInstructionReads) {
  ASSERT_EQ(record([] { look_up(7); }, first).how, Ending::How::returned);
  EXPECT_THAT(std::vector(first.entries().begin(), first.entries().end()),
              testing::Contains(reinterpret_cast<std::uint64_t>(table + 7)));
  EXPECT_GT(first.steps(), 3u);
}

TEST_F(SingleStep, EqualRunsLeaveEqualTraces) {
  volatile std::uint8_t at = 7;
  const auto function = [&] { look_up(at); };
  ASSERT_EQ(record(function, first).how, Ending::How::returned);
  ASSERT_EQ(record(function, second).how, Ending::How::returned);
  EXPECT_FALSE(first_difference(first, second));
  at = 8;
  ASSERT_EQ(record(function, second).how, Ending::How::returned);
  const auto difference = first_difference(first, second);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->kind, Difference::Kind::address);
  EXPECT_EQ(difference->first, reinterpret_cast<std::uint64_t>(table + 7));
  EXPECT_EQ(difference->second, reinterpret_cast<std::uint64_t>(table + 8));
}

TEST_F(SingleStep, ABranchIsADifferenceOfTheWay) {
  volatile std::uint8_t on = 3;
  const auto function = [&] { branch(on); };
  ASSERT_EQ(record(function, first).how, Ending::How::returned);
  on = 4;
  ASSERT_EQ(record(function, second).how, Ending::How::returned);
  const auto difference = first_difference(first, second);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->kind, Difference::Kind::way);
  EXPECT_NE(difference->first, difference->second);
}

TEST_F(SingleStep, SystemCallsAreStepsLikeOthers) {
  EXPECT_EQ(record([] { sink = static_cast<unsigned>(getppid()); }, first).how, Ending::How::returned);
}

TEST_F(SingleStep, SaysHowTheFunctionEnded) {
  const Ending exited = record([] { _exit(3); }, first);
  EXPECT_EQ(exited.how, Ending::How::exited);
  EXPECT_EQ(describe(exited), "it called exit(3)");
  EXPECT_EQ(record([] { _exit(0); }, first).how, Ending::How::exited);
  const Ending crashed = record([] { *static_cast<volatile int*>(nullptr) = 1; }, first);
  EXPECT_EQ(crashed.how, Ending::How::signalled);
  EXPECT_EQ(describe(crashed), "its process ended by SIGSEGV");
  const auto never = [](const Step&) { return true; };
  const auto endless = [] {
    for (;;) sink = 1;
  };
  EXPECT_EQ(single_step(endless, never, seconds(1)).how, Ending::How::timed_out);
  EXPECT_EQ(record(endless, first).how, Ending::How::stopped);
}

TEST_F(SingleStep, TheInstructionMayEndAtTheEndOfMemory) {
  const std::size_t page = 4096;
  auto* const code =
      static_cast<std::uint8_t*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  code[page - 1] = 0xc3;  // RET
  ASSERT_EQ(mprotect(code, page, PROT_READ | PROT_EXEC), 0);
  munmap(code + page, page);
  const auto at_the_end = reinterpret_cast<void (*)()>(code + page - 1);
  EXPECT_EQ(record([&] { at_the_end(); }, first).how, Ending::How::returned);
  munmap(code, page);
}

#else

TEST(SingleStep, SaysWhyThereAreNone) { EXPECT_NE(why_no_single_steps(), ""); }

#endif

}  // namespace
}  // namespace aesgate::witness
