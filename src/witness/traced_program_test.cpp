#include "witness/traced_program.h"

#include <csignal>

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "witness/program_answer.h"

namespace aesgate::witness {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TracedProgramTest : public testing::Test {
 protected:
  /// Runs traced_sample; skips the test where nothing can be traced, or the program says that this CPU cannot do it.
  TracedRun run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), AESGATE_TRACED_SAMPLE);
    return run_command(std::move(arguments));
  }

  TracedRun run_command(std::vector<std::string> arguments) {
    options.arguments = std::move(arguments);
    auto traced = trace_program(options);
    EXPECT_TRUE(traced) << traced.error().message;
    // Nothing is left: no child of this process.
    EXPECT_EQ(waitpid(-1, nullptr, __WALL | WNOHANG), -1);
    return traced ? *traced : TracedRun{};
  }

  TraceOptions options;
};

#define SKIP_UNLESS_SAMPLED(run)                                           \
  if (!(run).why_no_samples.empty()) GTEST_SKIP() << (run).why_no_samples; \
  if ((run).end.number == 77) GTEST_SKIP() << "this CPU lacks the instructions"

TEST_F(TracedProgramTest, AesInstructionsAreSeenWhereTheyExecute) {
  const TracedRun seen = run({"aesenc", "150"});
  SKIP_UNLESS_SAMPLED(seen);
  EXPECT_EQ(seen.end.status(), 0);
  const ProgramAnswer said = answer(seen);
  EXPECT_EQ(said.verdict, ProgramVerdict::proven);
  ASSERT_THAT(said.uses, SizeIs(1));
  EXPECT_EQ(said.uses[0].object, "traced_sample");
  EXPECT_EQ(said.uses[0].unit, "aes.xmm");
  EXPECT_THAT(said.uses[0].functions, ElementsAre("aes128_rounds"));
  EXPECT_THAT(said.uses[0].instructions, ElementsAre("AESENC (xmm)"));
  ASSERT_THAT(said.uses[0].rounds, SizeIs(1));
  EXPECT_EQ(said.uses[0].rounds[0], (Rounds{10, 1}));
  EXPECT_THAT(said.found, HasSubstr("AES-128 ran in traced_sample (in aes128_rounds) on AESENC (xmm), one block at a"));
}

TEST_F(TracedProgramTest, AHashOfAesInstructionsIsNoAes) {
  const TracedRun seen = run({"hash", "100"});
  SKIP_UNLESS_SAMPLED(seen);
  EXPECT_GT(seen.samples.aes_samples, 0u);
  const ProgramAnswer said = answer(seen);
  EXPECT_EQ(said.verdict, ProgramVerdict::unknown);
  EXPECT_THAT(said.found, HasSubstr("(in aes_hash), AESENC (xmm), but no cipher's rounds were seen"));
  EXPECT_EQ(judge_claim("aes.xmm", said, seen).verdict, ProgramVerdict::unknown);
}

TEST_F(TracedProgramTest, WhatIsNotThereIsNotSeen) {
  const TracedRun seen = run({"spin", "150"});
  SKIP_UNLESS_SAMPLED(seen);
  EXPECT_GT(seen.samples.samples, 0u);
  EXPECT_EQ(seen.samples.aes_instructions, 0u);
  const ProgramAnswer said = answer(seen);
  EXPECT_THAT(said.uses, IsEmpty());
  EXPECT_THAT(said.verdict, AnyOf(ProgramVerdict::consistent, ProgramVerdict::unknown));
}

TEST_F(TracedProgramTest, BlocksInWideRegistersAreCountedByLane) {
  const TracedRun seen = run({"vaes", "150"});
  SKIP_UNLESS_SAMPLED(seen);
  const ProgramAnswer said = answer(seen);
  ASSERT_THAT(said.uses, SizeIs(1));
  EXPECT_EQ(said.uses[0].unit, "vaes.zmm");
  EXPECT_THAT(said.uses[0].instructions, ElementsAre("VAESENC (zmm)"));
  ASSERT_THAT(said.uses[0].rounds, SizeIs(1));
  EXPECT_EQ(said.uses[0].rounds[0], (Rounds{14, 8}));
}

TEST_F(TracedProgramTest, CodeWithoutAFileIsAnonymous) {
  const TracedRun seen = run({"jit", "100"});
  SKIP_UNLESS_SAMPLED(seen);
  const ProgramAnswer said = answer(seen);
  EXPECT_EQ(said.verdict, ProgramVerdict::proven);
  EXPECT_THAT(said.found, HasSubstr("ran in anonymous memory on AESENC"));
  EXPECT_THAT(said.limits, Contains(HasSubstr("the functions in anonymous memory")));
}

TEST_F(TracedProgramTest, ThreadsAreFollowed) {
  const TracedRun seen = run({"threads", "100"});
  SKIP_UNLESS_SAMPLED(seen);
  EXPECT_EQ(seen.threads, 2u);
  EXPECT_EQ(seen.processes, 1u);
  EXPECT_GT(seen.samples.aes_samples, 0u);
}

TEST_F(TracedProgramTest, ChildrenAreFollowed) {
  const TracedRun seen = run({"fork", "100"});
  SKIP_UNLESS_SAMPLED(seen);
  EXPECT_EQ(seen.processes, 2u);
  EXPECT_GT(seen.samples.aes_samples, 0u);
}

TEST_F(TracedProgramTest, ShellsProgramsAreFollowed) {
  const TracedRun seen = run_command({"sh", "-c", AESGATE_TRACED_SAMPLE " aesenc 100; exit 7"});
  EXPECT_EQ(seen.end.status(), 7);
  SKIP_UNLESS_SAMPLED(seen);
  EXPECT_GT(seen.samples.aes_samples, 0u);
  EXPECT_THAT(seen.commands, Contains(ElementsAre(AESGATE_TRACED_SAMPLE, "aesenc", "100")));
}

TEST_F(TracedProgramTest, CallsOfTheKernelsCiphersAreCounted) {
  for (const bool every_call : {false, true}) {
    SCOPED_TRACE(every_call);
    options.every_call = every_call;
    const TracedRun seen = run({"socket", "socket", "device"});
    if (!seen.calls_seen) GTEST_SKIP() << seen.why_not_traced;
    EXPECT_EQ(seen.watch, every_call ? Watch::every_call : seen.watch);
    EXPECT_EQ(seen.traffic.af_alg_sockets.done + seen.traffic.af_alg_sockets.failures(), 2u);
    EXPECT_EQ(seen.traffic.crypto_device.done + seen.traffic.crypto_device.failures(), 1u);
    EXPECT_EQ(seen.traffic.crossings(), 0u);
  }
  // And none where there are none.
  const TracedRun none = run({"exit", "0"});
  EXPECT_FALSE(none.traffic.af_alg_sockets.asked());
  EXPECT_FALSE(none.traffic.crypto_device.asked());
}

TEST_F(TracedProgramTest, CallsOf32BitProgramsAreNotSeenAndNotCalledNone) {
  const TracedRun seen = run({"foreign"});
  if (!seen.calls_seen || seen.end.number == 77) GTEST_SKIP() << seen.why_not_traced;
  EXPECT_EQ(seen.traffic.foreign_calls, 1u);
  EXPECT_THAT(answer(seen).kernel, IsEmpty());
  EXPECT_THAT(answer(seen).limits, Contains("system calls of a 32-bit program"));
}

TEST_F(TracedProgramTest, AProgramThatTracesIsTold) {
  const TracedRun seen = run({"trace"});
  if (!seen.calls_seen) GTEST_SKIP() << seen.why_not_traced;
  EXPECT_EQ(seen.traffic.ptrace_calls.failures(), 1u);
  EXPECT_THAT(answer(seen).limits, Contains(HasSubstr("ptrace()")));
}

TEST_F(TracedProgramTest, TheEndIsTheProgramsOwn) {
  EXPECT_EQ(run({"exit", "5"}).end.status(), 5);
  EXPECT_EQ(run({"crash"}).end.status(), 128 + SIGSEGV);
  EXPECT_EQ(run_command({"/nonexistent/program"}).end.status(), 127);
  EXPECT_EQ(run_command({"/etc/passwd"}).end.status(), 126);
}

TEST_F(TracedProgramTest, TheLimitEndsAlsoWhatIgnoresIt) {
  options.limit = 100ms;
  options.grace = 100ms;
  const TracedRun seen = run({"deaf"});
  EXPECT_TRUE(seen.end.timed_out);
  EXPECT_EQ(seen.end.status(), 124);
  EXPECT_LT(seen.wall_seconds, 5);
}

TEST_F(TracedProgramTest, WhatIsLeftRunningIsWaitedFor) {
  options.grace = 50ms;
  std::vector<std::string> lines;
  options.say = [&](const std::string& line) { lines.push_back(line); };
  const TracedRun seen = run({"leave", "200"});
  if (!seen.traced) GTEST_SKIP() << seen.why_not_traced;
  EXPECT_GE(seen.wall_seconds, 0.19);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("waiting for what it left running")));
}

TEST_F(TracedProgramTest, TimeIsCountedOnceWhoeverWaits) {
  for (const char* what : {"fork", "abandon", "threads"}) {
    SCOPED_TRACE(what);
    const TracedRun seen = run({what, "100"});
    if (!seen.traced || seen.end.number == 77) GTEST_SKIP() << seen.why_not_traced;
    EXPECT_GE(seen.user_seconds + seen.system_seconds, 0.099);
    EXPECT_LT(seen.user_seconds + seen.system_seconds, 0.19);
  }
}

TEST_F(TracedProgramTest, TimeIsCountedOfWhatIsKilled) {
  options.limit = 300ms;
  const TracedRun seen = run({"abandon", "60000"});
  if (!seen.traced) GTEST_SKIP() << seen.why_not_traced;
  EXPECT_TRUE(seen.end.timed_out);
  EXPECT_GE(seen.user_seconds + seen.system_seconds, 0.01);
}

// A step over PUSHF would leave the trap flag on the program's stack, and one with SIGTRAP blocked unblocks it.
TEST_F(TracedProgramTest, SamplesLeaveNoTrace) {
  EXPECT_EQ(run({"flags", "150"}).end.status(), 0);
  const TracedRun masked = run({"masked", "100"});
  EXPECT_EQ(masked.end.status(), 0);
  SKIP_UNLESS_SAMPLED(masked);
  EXPECT_GT(masked.samples.aes_samples, 0u);
}

}  // namespace
}  // namespace aesgate::witness
