#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

constexpr const char* sample = AESGATE_TRACED_SAMPLE;

class WitnessCommandTest : public ProgramTest {
 protected:
  Ran witness(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "witness");
    // Of a build with sanitizers: an aesgate that is witnessed cannot be traced by LeakSanitizer, too.
    return run(std::move(arguments), {"ASAN_OPTIONS=detect_leaks=0"});
  }

  nlohmann::json report() { return nlohmann::json::parse(read("report.json")); }
};

TEST_F(WitnessCommandTest, TheProgramsOutputAndStatusAreItsOwn) {
  const Ran ran = witness({"--", "sh", "-c", "echo out; echo err >&2; exit 9"});
  EXPECT_EQ(ran.status, 9);
  EXPECT_EQ(ran.out, "out\n");
  EXPECT_THAT(ran.err, MatchesRegex("err\naesgate: (.|\n)+"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(WitnessCommandTest, TheAnswerIsWhereItWasAskedFor) {
  const Ran ran = witness({"--out", "answer.txt", "--json", "report.json", "--", sample, "aesenc", "100", "socket"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(read("answer.txt"), MatchesRegex("aesgate: (PROVEN|UNKNOWN): (.|\n)+"));
  const nlohmann::json json = report();
  EXPECT_EQ(json["command"], "witness");
  EXPECT_EQ(json["arguments"], nlohmann::json({sample, "aesenc", "100", "socket"}));
  EXPECT_EQ(json["end"]["status"], 0);
  if (!json["kernel"]["calls_seen"].get<bool>()) GTEST_SKIP() << ran.err;
  const auto& sockets = json["kernel"]["af_alg_sockets"];
  EXPECT_EQ(sockets["done"].get<int>() + static_cast<int>(sockets["failed"].size()), 1);
}

TEST_F(WitnessCommandTest, AProgramThatCannotBeExecuted) {
  const Ran missing = witness({"--", "nonexistent-program"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_EQ(missing.err, "aesgate: nonexistent-program: No such file or directory\n");
  EXPECT_EQ(witness({"--", "/etc/passwd"}).status, 126);
}

TEST_F(WitnessCommandTest, BadUsageRunsNothing) {
  const auto refused = [&](std::vector<std::string> options, const char* why) {
    options.insert(options.end(), {"--", "touch", "ran"});
    const Ran ran = witness(options);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_THAT(files(), IsEmpty());
  };
  refused({"--expect", "vaes"}, "--expect: \"vaes\" is none of aes, ");
  refused({"--timeout", "-1"}, "--timeout");
  refused({"--json", "-"}, "standard output is the program's");
  refused({"--json", "x", "--out", "x"}, "is the file of --json too");
  refused({"--json", "no/such/folder/x"}, "--json: ");
  refused({"aesni"}, "aesgate witness --help");
  EXPECT_EQ(witness({"--"}).status, 2);
}

TEST_F(WitnessCommandTest, OptionsBehindTheDashesAreTheProgramsOwn) {
  const Ran ran = witness({"--", "echo", "--json", "x", "--", "--help"});
  EXPECT_EQ(ran.out, "--json x -- --help\n");
}

TEST_F(WitnessCommandTest, HelpHasBothForms) {
  EXPECT_THAT(witness({"--help"}).out, HasSubstr("aesgate witness [OPTION…] -- COMMAND…"));
  EXPECT_THAT(witness({"--help", "--"}).out, StartsWith("aesgate witness [OPTION…] -- COMMAND…"));
}

TEST_F(WitnessCommandTest, AClaimDecidesTheStatus) {
  const Ran held = witness({"--expect", "aes.xmm", "--json", "report.json", "--", sample, "aesenc", "100"});
  if (report()["samples"]["with_aes"] == 0) GTEST_SKIP() << held.err;
  EXPECT_EQ(held.status, 0) << held.err;
  EXPECT_THAT(held.err, HasSubstr("--expect aes.xmm: PROVEN"));
  EXPECT_EQ(report()["expected"]["verdict"], "PROVEN");
  const Ran refuted = witness({"--expect", "none", "--", sample, "aesenc", "100"});
  EXPECT_EQ(refuted.status, 1) << refuted.err;
  const Ran unknown = witness({"--expect", "aes", "--", "true"});
  EXPECT_EQ(unknown.status, 3) << unknown.err;
  // The program's own failure goes first.
  EXPECT_EQ(witness({"--expect", "aes", "--", "sh", "-c", "exit 4"}).status, 4);
}

TEST_F(WitnessCommandTest, ATracedTracerSaysThatItSeesNothing) {
  const Ran ran =
      witness({"--out", "outer.txt", "--", AESGATE_PROGRAM, "witness", "--", sample, "aesenc", "100", "exit", "6"});
  EXPECT_EQ(ran.status, 6);
  if (read("outer.txt").find("ptrace() is") != std::string::npos) GTEST_SKIP() << read("outer.txt");
  EXPECT_THAT(ran.err, StartsWith("aesgate: UNKNOWN: whether AES instructions ran: ptrace()"));
  EXPECT_THAT(ran.err, testing::Not(HasSubstr("0 kernel crossings")));
}

TEST_F(WitnessCommandTest, TheKernelsPartIsCounted) {
  write("one.case", appendix_c1("backend = af_alg\n", ciphertext));
  const Ran ran = witness({"--expect", "kernel", "--json", "report.json", "--out", "answer.txt", "--", AESGATE_PROGRAM,
                           "replay", "--emulate", "af_alg", "one.case"});
  const nlohmann::json json = report();
  if (ran.status == 2 || !json["kernel"]["calls_seen"].get<bool>()) GTEST_SKIP() << ran.err << read("answer.txt");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_EQ(json["verdict"], "PROVEN");
  EXPECT_GE(json["kernel"]["af_alg_binds"]["skcipher ecb(aes)"]["done"], 1);
  EXPECT_GE(json["kernel"]["af_alg_requests"]["skcipher ecb(aes)"], 2);  // one to send, one to fetch
  EXPECT_EQ(json["kernel"]["crossings"], json["kernel"]["af_alg_requests"]["skcipher ecb(aes)"]);
  EXPECT_THAT(read("answer.txt"), HasSubstr("the kernel was asked for AES: AF_ALG, skcipher ecb(aes), "));
}

TEST_F(WitnessCommandTest, TimeIsLimited) {
  const Ran ran = witness({"--timeout", "0.1", "--json", "report.json", "--", "sleep", "60"});
  EXPECT_EQ(ran.status, 124);
  EXPECT_THAT(report()["answer"].get<std::string>(), HasSubstr("it was ended by the time limit"));
}

/// aesgate in a process group of its own, with a program that has said "ready" before a signal comes.
class Started {
 public:
  Started() {
    int ends[2];
    if (pipe(ends) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const char* const arguments[] = {AESGATE_PROGRAM, "witness", "--timeout", "20", "--", sample, "term", nullptr};
    posix_spawn(&process_, AESGATE_PROGRAM, &actions, &attributes, const_cast<char**>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    char ready[6];
    [[maybe_unused]] const ssize_t got = ::read(ends[0], ready, sizeof ready);
    close(ends[0]);
  }

  int status_after(pid_t target, int signal) {
    kill(target, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
};

TEST(WitnessSignals, WhatIsMeantForThisProcessReachesTheProgram) {
  Started started;
  EXPECT_EQ(started.status_after(started.process(), SIGTERM), 21);
}

TEST(WitnessSignals, WhatTheWholeGroupGetsReachesItOnce) {
  Started started;
  EXPECT_EQ(started.status_after(-started.process(), SIGTERM), 21);
}

}  // namespace
}  // namespace aesgate
