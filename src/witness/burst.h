#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include <sys/types.h>

#include "witness/code_maps.h"
#include "witness/round_count.h"
#include "witness/sample_tally.h"

namespace aesgate::witness {

/// Why no program can be sampled here, in words; empty where it can.
[[nodiscard]] const char* why_no_samples();

/// Burst: one sample of a thread. The thread is stopped in its tracer, executes some instructions in single steps, and
/// is let go. It never steps what a step would disturb: system calls, instructions that put the trap flag where the
/// program finds it, and breakpoints. The thread's registers, signal mask and memory are then as if it had not been,
/// and a system call that the stop has ended is made again.
class Burst {
 public:
  enum class Next { step, let_go };

  Burst(pid_t process, pid_t thread, CodeMaps& maps, CodeObjects& objects, SampleTally& tally);

  /// The thread has stopped for this sample. Of `let_go`, end() was called already, here and below.
  [[nodiscard]] Next begin();
  /// It has stopped after a step.
  [[nodiscard]] Next stepped();
  /// Before the thread goes on without stepping, for whatever reason. More than once does nothing.
  void end();

  [[nodiscard]] std::chrono::steady_clock::duration took() const { return took_; }
  [[nodiscard]] bool was_in_call() const { return was_in_call_; }

 private:
  [[nodiscard]] Next look();
  [[nodiscard]] bool open_trap();
  [[nodiscard]] bool is_long_enough() const;
  void count_sample();
  void count();
  [[nodiscard]] Next give_up(const char* why);

  pid_t process_, thread_;
  CodeMaps* maps_;
  CodeObjects* objects_;
  SampleTally* tally_;

  struct Ahead {  // the instruction that is about to be executed
    std::uint64_t address = 0;
    AesOpcode opcode;
    std::optional<CodeSpot> spot;  // of AES instructions, and the first
  };
  Ahead ahead_;
  RoundCount rounds_;
  std::set<std::size_t> aes_objects_;
  unsigned steps_ = 0, found_rounds_ = 0;
  bool over_ = false, is_after_call_ = false, was_in_call_ = false, saw_cipher_ = false;
  std::optional<std::uint64_t> blocked_signals_;  // the thread's mask, if another is in its place
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration took_{};
};

}  // namespace aesgate::witness
