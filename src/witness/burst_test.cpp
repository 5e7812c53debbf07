#include "witness/burst.h"

#include <cerrno>
#include <csignal>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "witness/traced_thread.h"

namespace aesgate::witness {
namespace {

/// A child that is traced, and stopped while it is in a system call.
class BurstTest : public testing::Test {
 protected:
  void SetUp() override {
    if (*why_no_samples() != '\0') GTEST_SKIP() << why_no_samples();
  }

  /// Forks `body`, whose result is the exit status, and stops it once it sleeps.
  template <typename Body>
  void stop_asleep(const Body& body) {
    child = fork();
    if (child == 0) _exit(body());
    ASSERT_GT(child, 0);
    if (ptrace(PTRACE_SEIZE, child, nullptr, nullptr) != 0) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      GTEST_SKIP() << "ptrace() is not allowed";
    }
    for (int i = 0; i < 5000 && is_running(child); ++i) usleep(1000);
    ASSERT_EQ(ptrace(PTRACE_INTERRUPT, child, nullptr, nullptr), 0);
    ASSERT_EQ(waitpid(child, nullptr, __WALL), child);
  }

  /// One sample of the child, which then goes on; gives its exit status.
  int status_after_sample() {
    Burst burst(child, child, maps, objects, tally);
    EXPECT_EQ(burst.begin(), Burst::Next::let_go);
    EXPECT_TRUE(burst.was_in_call());
    return status_after_all();
  }

  int status_after_all() {
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
    int status = 0;
    for (;;) {
      waitpid(child, &status, __WALL);
      if (!WIFSTOPPED(status)) break;
      ptrace(PTRACE_CONT, child, nullptr, status >> 16 == 0 ? WSTOPSIG(status) : 0);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t child = 0;
  CodeMaps maps;
  CodeObjects objects;
  SampleTally tally;
};

int wait_for_events() {
  epoll_event event{};
  const int events = epoll_create1(0);
  return epoll_wait(events, &event, 1, 200) == 0 ? 0 : errno == EINTR ? 1 : 2;
}

TEST_F(BurstTest, ACallThatTheStopHasEndedIsMadeAgain) {
  stop_asleep(wait_for_events);
  if (IsSkipped()) return;
  EXPECT_EQ(status_after_sample(), 0);
  EXPECT_EQ(tally.in_kernel, 1u);
  EXPECT_EQ(tally.samples, 0u);
}

// What the sample is there for: without it, the program sees the stop.
TEST_F(BurstTest, AStopAloneEndsIt) {
  stop_asleep(wait_for_events);
  if (IsSkipped()) return;
  EXPECT_EQ(status_after_all(), 1);
}

TEST_F(BurstTest, ACallThatASignalHasEndedIsNot) {
  stop_asleep([] {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, nullptr);
    return wait_for_events();
  });
  if (IsSkipped()) return;
  kill(child, SIGUSR1);
  EXPECT_EQ(status_after_sample(), 1);
}

}  // namespace
}  // namespace aesgate::witness
