#include "fuzz/child_process.h"

#include <csignal>
#include <thread>

#include <gmock/gmock.h>

namespace aesgate {
namespace {

using testing::ElementsAre;

Result<ChildProcess> shell(const std::string& command, const std::vector<std::string>& variables = {}) {
  return ChildProcess::start("/bin/sh", {"-c", command}, variables);
}

std::vector<std::string> all_lines(ChildProcess& process) {
  std::vector<std::string> all;
  for (bool ended = false; !ended;) {
    ended = process.has_ended();
    for (std::string& line : process.read_lines()) all.push_back(std::move(line));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return all;
}

TEST(child_process, gives_its_lines_and_its_status) {
  auto process = shell("echo one; echo $NAME >&2; printf three; exit 7", {"NAME=two"});
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_THAT(all_lines(*process), ElementsAre("one", "two", "three"));
  EXPECT_EQ(process->status(), 7);
  auto killed = shell("kill -9 $$");
  ASSERT_TRUE(killed);
  all_lines(*killed);
  EXPECT_EQ(killed->status(), -SIGKILL);
}

TEST(child_process, keeps_only_the_last_lines_and_the_front_of_long_ones) {
  auto process =
      shell("i=0; while [ $i -lt 200 ]; do echo $i; i=$((i+1)); done; head -c 100000 /dev/zero | tr '\\0' x");
  ASSERT_TRUE(process);
  EXPECT_EQ(all_lines(*process).size(), 201u);
  EXPECT_EQ(process->last_lines().size(), ChildProcess::lines_kept);
  EXPECT_EQ(process->last_lines().back().size(), ChildProcess::longest_line);
}

TEST(child_process, goes_with_what_it_started) {
  auto process = shell("sleep 100 & echo $!; wait");
  ASSERT_TRUE(process);
  std::vector<std::string> lines;
  while (lines.empty()) lines = process->read_lines();
  const pid_t inner = std::stoi(lines[0]);
  EXPECT_EQ(::kill(inner, 0), 0);
  process->kill();
  EXPECT_EQ(process->status(), -SIGKILL);
  for (int i = 0; i < 500 && ::kill(inner, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(::kill(inner, 0), 0);
}

TEST(child_process, a_program_that_is_not_there_is_status_127) {
  auto process = ChildProcess::start("/nowhere/at/all", {}, {});
  ASSERT_TRUE(process);
  EXPECT_THAT(all_lines(*process), ElementsAre(testing::HasSubstr("No such file")));
  EXPECT_EQ(process->status(), 127);
}

}  // namespace
}  // namespace aesgate
