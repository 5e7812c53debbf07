// --plugin and --isolate, from the command line to the exit status: shared objects of src/abi/, good and faulty.

#include <cctype>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string plugin(const std::string& name) { return fmt::format("{}/{}.so", AESGATE_PLUGINS, name); }

class Plugin : public ProgramTest {};

TEST_F(Plugin, ListNamesItsBackendsAndThoseThatBackendAdds) {
  const Ran alone = run({"list", "--plugin", plugin("libexample_plugin")});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out, ContainsRegex("example +software, unit none: available\n"));
  EXPECT_THAT(alone.out, HasSubstr("ECB CBC CFB1 CFB8 CFB128 OFB: encrypt 128/192/256, decrypt 128/192/256\n"));
  EXPECT_THAT(alone.out, HasSubstr("1 of 1 backends can run"));
  const Ran both = run({"list", "--plugin", plugin("libexample_plugin"), "--backend", "sbox"});
  EXPECT_THAT(both.out, AllOf(ContainsRegex("sbox +software"), ContainsRegex("example +software"),
                              HasSubstr("2 of 2 backends can run")));
}

TEST_F(Plugin, OptionsMakeAVariant) {
  const Ran ran = run({"kat", "--plugin", plugin("libexample_plugin"), "--backend", "example:sbox=computed", "--mode",
                       "ECB", "--key-bits", "128", "--effort", "quick"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("example-computed +[0-9]"));
  const Ran wrong = run({"kat", "--plugin", plugin("libexample_plugin"), "--backend", "example:sbox=none"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err,
            "aesgate: --backend: backend example:sbox=none: unknown option \"sbox=none\"; known: sbox=table, "
            "sbox=computed\n");
}

TEST_F(Plugin, TheBuiltInBackendsAreOneToo) {
  const Ran ran = run({"kat", "--plugin", AESGATE_BACKENDS_PLUGIN, "--backend", "ttable", "--mode", "CFB8",
                       "--key-bits", "192", "--effort", "quick"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("in 1 backend, all agree"));
  const Ran built_in =
      run({"kat", "--isolate", "--backend", "ttable", "--mode", "CFB8", "--key-bits", "192", "--effort", "quick"});
  EXPECT_EQ(built_in.status, 0) << built_in.out << built_in.err;
}

TEST_F(Plugin, NotIsolatedItRunsInThisProcess) {
  const Ran ran =
      run({"kat", "--plugin", plugin("libexample_plugin"), "--no-isolate", "--mode", "OFB", "--effort", "quick"});
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(Plugin, PerfTimesItInThisProcessAndSaysSo) {
  const Ran ran = run({"perf", "--plugin", plugin("libexample_plugin"), "--mode", "CBC", "--bytes", "256",
                       "--direction", "encrypt", "--seconds", "0.01"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("note: example was judged in a process of its own, and judged and timed in this one"));
}

struct Fault {
  const char* plugin;
  const char* mode;
  const char* reason;  // a part of the first finding's reason
};

/// Each is red, with a .case file whose replay is red in the same way.
class PlantedFault : public ProgramTest, public testing::WithParamInterface<Fault> {};

TEST_P(PlantedFault, IsRedAndReplaysTheSameWay) {
  const std::string file = plugin(GetParam().plugin);
  const Ran ran = run({"verify", "--plugin", file, "--mode", GetParam().mode, "--key-bits", "128", "--effort", "quick",
                       "--time-limit", "2", "--json", "report.json"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(read("report.json"));
  ASSERT_FALSE(json["findings"].empty());
  bool found = false;
  for (const auto& finding : json["findings"]) {
    const std::string reason = finding["reason"];
    if (reason.find(GetParam().reason) == std::string::npos) continue;
    found = true;
    EXPECT_THAT(reason, Not(HasSubstr("the case agrees")));
    const std::string case_file = finding["case_file"];
    EXPECT_EQ(finding["replay"], fmt::format("aesgate replay {} --plugin {} --time-limit 2", case_file, file));
    const Ran replay = run({"replay", case_file, "--plugin", file, "--time-limit", "2"});
    EXPECT_EQ(replay.status, 1) << replay.out << replay.err;
    // Lines are wrapped, so without blanks; and a stage may have added more to a reason.
    const auto without_blanks = [](std::string text) {
      std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
      return text;
    };
    EXPECT_THAT(
        without_blanks(replay.out),
        HasSubstr(without_blanks(fmt::format("{}: {}", finding["verdict"], reason.substr(0, reason.find(';'))))));
    EXPECT_EQ(run({"replay", case_file, "--plugin", plugin("libexample_plugin"), "--backend", "example"}).status, 0)
        << "without the fault the same case is green";
    break;
  }
  EXPECT_TRUE(found) << ran.out;
}

INSTANTIATE_TEST_SUITE_P(
    plugins, PlantedFault,
    testing::Values(
        Fault{"wrong_last_round", "ECB", "output differs"}, Fault{"partial_carry", "CFB128", "differs"},
        Fault{"ignores_direction", "ECB", "output differs"}, Fault{"keeps_input", "CBC", "output differs"},
        Fault{"wrong_tail", "CFB128", "output differs"}, Fault{"iv_out", "CBC", "chaining value after"},
        Fault{"in_place", "ECB", "output differs"}, Fault{"accepts_any_length", "CBC", "it should refuse this length"},
        Fault{"over_read", "OFB", "past the end of the"}, Fault{"over_write", "ECB", "memory beside the output"},
        Fault{"input_write", "CFB8", "writing at byte 0 of the input"},
        Fault{"context_write", "OFB", "past the end of the context"},
        Fault{"heap_write", "CBC", "SIGABRT in update() 1"}, Fault{"null_read", "CBC", "SIGSEGV in update() 1"},
        Fault{"endless_recursion", "CBC", "SIGSEGV in update() 1"},
        Fault{"exit_in_update", "CBC", "it called exit(0) in update() 1"},
        Fault{"silent_exit_in_update", "CBC", "it called exit(0) in update() 1"},
        Fault{"write_to_descriptors", "CBC", "no answer that can be read"},
        Fault{"crash_in_update_for", "CBC", "SIGSEGV in update_for()"},
        Fault{"crash_in_context_size", "CBC", "SIGSEGV in context_size()"},
        Fault{"fpe_in_start", "CBC", "SIGFPE in start()"}, Fault{"abort_in_finish", "CBC", "SIGABRT in finish()"},
        Fault{"trap_in_chaining_value", "CBC", "in chaining_value() after start()"},
        Fault{"endless_loop", "CBC", "no answer in 2 s in update() 1"}, Fault{"hang", "CBC", "no answer in 2 s in update() 1"},
        Fault{"exit_in_start", "CBC", "it called exit(3) in start()"},
        Fault{"quick_exit_in_update", "CFB1", "it called exit(5) in update() 1"},
        Fault{"kill_in_update", "CBC", "SIGKILL in update() 1"},
        Fault{"throw_in_update", "CBC", "a C++ exception (planted) in update() 1"},
        Fault{"close_descriptors", "CBC", "its process could not answer"},
        Fault{"crash_in_probe", "CBC", "SIGSEGV in probe()"}, Fault{"hang_in_probe", "CBC", "no answer in 1 s in probe()"}),
    [](const auto& test) { return std::string(test.param.plugin); });

TEST_F(Plugin, OneThatStartsAProcessInEachCallIsRedAndTheMachineHasProcessesLeft) {
  const Ran ran = run({"kat", "--plugin", plugin("child_left_behind"), "--mode", "CBC", "--effort", "quick"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("it started more than 16 processes and left some, +in update\\(\\)"));
}

TEST_F(Plugin, NamesBetweenCommasAndAReplayWithTheTimeLimit) {
  const Ran ran = run({"kat", "--plugin", plugin("wrong_last_round"), "--backend", "faulty,sbox", "--mode", "ECB",
                       "--effort", "quick", "--time-limit", "7"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("sbox +[0-9]"));
  EXPECT_THAT(ran.out, HasSubstr(fmt::format(" --plugin {} --time-limit 7\n", plugin("wrong_last_round"))));
}

TEST_F(Plugin, WhatShowsOnlyAfterOtherCasesIsRedButReplaysAlone) {
  const Ran ran = run({"kat", "--plugin", plugin("stale_key"), "--mode", "OFB", "--key-bits", "128", "--effort",
                       "quick", "--json", "report.json"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  const auto finding = nlohmann::json::parse(read("report.json"))["findings"][0];
  EXPECT_EQ(finding["verdict"], "mismatch");
  EXPECT_EQ(run({"replay", finding["case_file"], "--plugin", plugin("stale_key")}).status, 0);
}

struct Refusal {
  const char* plugin;
  const char* why;
};

class RefusedPlugin : public ProgramTest, public testing::WithParamInterface<Refusal> {};

TEST_P(RefusedPlugin, IsOneLineAndStatus2) {
  const Ran ran = run({"verify", "--plugin", plugin(GetParam().plugin), "--time-limit", "2"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith(fmt::format("aesgate: --plugin: {}: ", plugin(GetParam().plugin))));
  EXPECT_THAT(ran.err, HasSubstr(GetParam().why));
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(plugins, RefusedPlugin,
                         testing::Values(Refusal{"nowhere", "no such file"},
                                         Refusal{"no_plugin", "exports no aesgate_backends()"},
                                         Refusal{"wrong_abi", "abi_version is 2"},
                                         Refusal{"null_start", "start() is null"},
                                         Refusal{"same_name_twice", "is there twice"},
                                         Refusal{"crash_in_constructor", "crashed: SIGSEGV in dlopen()"},
                                         Refusal{"hang_in_constructor", "timed out: no answer in 2 s in dlopen()"}),
                         [](const auto& test) { return std::string(test.param.plugin); });

TEST_F(Plugin, UsageErrors) {
  const auto refused = [this](const std::vector<std::string>& arguments, const std::string& why) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  };
  const std::string example = plugin("libexample_plugin");
  refused({"kat", "--plugin", example, "--backend", "none"}, "unknown backend \"none\"; known: ");
  refused({"kat", "--plugin", example, "--backend", "none"}, "; of plugins: example");
  refused({"kat", "--plugin", example, "--time-limit", "0"}, "--time-limit: \"0\" is not a number of seconds above 0");
  refused({"kat", "--plugin", plugin("hang"), "--plugin", plugin("in_place")},
          fmt::format("--plugin: {}: the name \"faulty\" is one of {} too", plugin("in_place"), plugin("hang")));
  refused({"kat", "--isolate", "--no-isolate"}, "--no-isolate");
  refused({"kat", "--plugin", example, "--require", "sbox"}, "--require: sbox is not among the backends of this run");
  write("any.case", "backend = example\n" + appendix_c1("", ciphertext));
  refused({"replay", "any.case"}, "unknown backend \"example\"");
  refused({"replay", "any.case"}, "--plugin finds one in a shared object");
  EXPECT_EQ(run({"replay", "any.case", "--plugin", example}).status, 0);
}

/// The workers of a process, which has its number on their command line.
std::size_t workers_of(pid_t process) {
  const std::string mark = fmt::format("--worker-of-aesgate{}{}{}", '\0', process, '\0');
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) == 0) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line(std::istreambuf_iterator<char>(file), {});
    count += line.find(mark) != std::string::npos;
  }
  return count;
}

template <typename Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 600; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(50)))
    if (condition()) return true;
  return false;
}

class Killed : public ProgramTest, public testing::WithParamInterface<int> {};

/// While a worker is in a call that does not return.
TEST_P(Killed, LeavesNoWorkerBehind) {
  std::vector<std::string> arguments{AESGATE_PROGRAM, "kat",      "--plugin", plugin("hang"), "--cases",
                                     folder,          "--effort", "quick",    "--time-limit", "1000"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2}) posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  pid_t process = 0;
  ASSERT_EQ(posix_spawn(&process, AESGATE_PROGRAM, &actions, nullptr, pointers.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_TRUE(comes_true([&] { return workers_of(process) > 0; }));
  // Past the loading, where the signals are answered.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(process, GetParam());
  int status = 0;
  waitpid(process, &status, 0);
  if (GetParam() == SIGINT) {
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
  EXPECT_TRUE(comes_true([&] { return workers_of(process) == 0; }));
}

INSTANTIATE_TEST_SUITE_P(By, Killed, testing::Values(SIGINT, SIGKILL),
                         [](const auto& test) { return std::string(test.param == SIGINT ? "SIGINT" : "SIGKILL"); });

}  // namespace
}  // namespace aesgate
