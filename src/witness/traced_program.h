#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "witness/code_maps.h"
#include "witness/kernel_traffic.h"
#include "witness/sample_tally.h"
#include "witness/traced_start.h"

namespace aesgate::witness {

/// ProgramEnd: how the program that was named ended.
struct ProgramEnd {
  enum class How { exited, signalled, not_executed };
  How how = How::exited;
  int number = 0;          // the exit status, the signal, or the errno of exec
  bool timed_out = false;  // it, or what it left running, was ended by the limit

  /// What a shell says of it: 128 + signal; 127 for what was not found, 126 for what cannot be executed; 124 for what
  /// was timed out, as timeout(1) does.
  [[nodiscard]] int status() const;
};

/// TracedRun: what was seen of a program, its threads and all that it started.
struct TracedRun {
  std::vector<std::string> arguments;
  std::vector<std::vector<std::string>> commands;  // of each program that was executed, up to a number
  ProgramEnd end;
  double wall_seconds = 0;
  double user_seconds = 0, system_seconds = 0;  // of CPU time, of all that was traced
  unsigned processes = 0, threads = 0;

  bool traced = false;
  std::string why_not_traced;
  Watch watch = Watch::chosen;
  std::string why_every_call;
  bool calls_seen = false;             // the kernel told of system calls when it was asked
  std::set<std::string> unprivileged;  // set-user-ID programs that ran without that privilege, being watched

  std::string why_no_samples;  // empty: samples were taken whenever there was time
  SampleTally samples;
  std::shared_ptr<CodeObjects> objects = std::make_shared<CodeObjects>();
  KernelTraffic traffic;
};

struct TraceOptions {
  std::vector<std::string> arguments;
  std::optional<std::chrono::milliseconds> limit;                           // then all of it gets SIGTERM
  std::chrono::milliseconds grace{1000};                                    // and this much later SIGKILL
  std::vector<int> default_signals;                                         // as in start_traced()
  bool every_call = false;                                                  // as if there were no filter: slower
  std::function<void(const std::string&)> say = [](const std::string&) {};  // a line for the user, while it runs
};

/// Runs a program to its end, and all that it leaves running, too: input, output, terminal and signals are its own. In
/// a process with one thread, and no other children. An Error if there can be no process; that the program cannot be
/// executed is an end.
[[nodiscard]] Result<TracedRun> trace_program(const TraceOptions& options);

}  // namespace aesgate::witness
