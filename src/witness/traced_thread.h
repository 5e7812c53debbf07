#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "witness/burst.h"
#include "witness/code_maps.h"
#include "witness/kernel_traffic.h"
#include "witness/traced_call.h"

namespace aesgate::witness {

/// ThreadClock: the CPU time that a thread took.
class ThreadClock {
 public:
  explicit ThreadClock(pid_t thread) : thread_(thread) {}
  ~ThreadClock();
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  /// As fine as the kernel has it; nothing if it does not tell, or the thread is gone.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> read();

 private:
  pid_t thread_;
  int file_ = -1;
  bool opened_ = false;
};

/// ThreadTimes: what a thread took of the CPU, also when it has ended, until it is waited for.
struct ThreadTimes {
  std::chrono::nanoseconds all{};     // as fine as the kernel has it
  std::chrono::nanoseconds system{};  // in the kernel, in whole ticks
};
/// None of what the kernel does not tell.
[[nodiscard]] ThreadTimes times_of(pid_t thread);

/// Is the thread on a CPU or waiting for one, and not asleep?
[[nodiscard]] bool is_running(pid_t thread);

/// The process of a thread; 0 if it is gone.
[[nodiscard]] pid_t process_of(pid_t thread);

/// TracedThread: a thread of the program, and what is being done with it.
struct TracedThread {
  explicit TracedThread(pid_t number, pid_t of_process) : id(number), process(of_process), clock(number) {}

  enum class Phase {
    running,
    interrupted,  // it was asked to stop for a sample, and has not yet
    stepping
  };

  pid_t id, process;
  Phase phase = Phase::running;
  std::optional<Burst> burst;       // while stepping
  std::optional<TracedCall> entry;  // a call whose result is awaited
  bool in_call = false;             // between its entry and its exit, where it stops at both
  std::string text;                 // what the call's result needs of memory

  ThreadClock clock;
  std::chrono::nanoseconds used{};                                      // its CPU time at the last sample
  std::chrono::nanoseconds least_use = std::chrono::microseconds(500);  // of CPU time until the next
  std::chrono::steady_clock::time_point rests_until{};                  // no sample before then
};

/// TracedProcess: what threads share.
struct TracedProcess {
  CodeMaps maps;
  CryptoFiles files;
  bool every_call = false;  // its threads stop at each system call
};

}  // namespace aesgate::witness
