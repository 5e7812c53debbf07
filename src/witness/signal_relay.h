#pragma once

#include <chrono>
#include <csignal>
#include <vector>

#include <sys/types.h>

namespace aesgate::witness {

/// SignalRelay: while it lives, signals to this process wait to be taken, so that they reach the program which it runs
/// instead. What a terminal or a kill of the process group sends, the program gets by itself: only what was meant for
/// this process alone is passed on. Made before the program is started, in a process with one thread.
class SignalRelay {
 public:
  using Clock = std::chrono::steady_clock;

  SignalRelay();
  ~SignalRelay();
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

  /// The mask that there was before.
  [[nodiscard]] const sigset_t& previous_mask() const { return previous_; }

  /// What came of a wait.
  struct Came {
    int signal = 0;        // 0: none
    bool is_stop = false;  // SIGTSTP and its like: this process stops when the program does
  };
  /// Waits for a signal, SIGCHLD too, until `until` at the latest.
  [[nodiscard]] Came wait(Clock::time_point until);

  /// The program is about to get `signal` from `sender`, by itself.
  void program_gets(int signal, pid_t sender);

  /// The signals which the program did not get by itself, and is to be sent now.
  [[nodiscard]] std::vector<int> due();

 private:
  struct Known {
    int signal;
    pid_t sender;
    Clock::time_point at;
  };
  sigset_t taken_{}, previous_{};
  std::vector<Known> ours_, theirs_;
};

}  // namespace aesgate::witness
