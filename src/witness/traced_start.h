#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "core/result.h"

namespace aesgate::witness {

/// Watch: how much of a program's system calls is seen.
enum class Watch {
  chosen,     // a filter (seccomp) stops it at those that matter here, and no others take longer
  every_call  // it stops at each: no filter could be installed
};

/// TracedStart: a program that was started.
struct TracedStart {
  pid_t process = -1;
  bool traced = false;            // by this process; else it runs by itself
  Watch watch = Watch::chosen;    // if traced
  std::string why_not;            // traced, or watched by a filter: in words
  bool keeps_privileges = false;  // a set-user-ID program that it executes gets its user, as without a tracer
  int exec_failure = -1;          // a descriptor: see failure_of_exec()
};

/// Starts `arguments` as the caller's shell would: the first is looked for on PATH; environment, descriptors, process
/// group and terminal are this process's. Its signal mask is `mask`, and of `default_signals` the disposition is the
/// default one. The program and all that it starts are killed when this process ends. Not traced where the system
/// forbids it, and then it runs all the same. An Error if there can be no process.
[[nodiscard]] Result<TracedStart> start_traced(const std::vector<std::string>& arguments, const sigset_t& mask,
                                               const std::vector<int>& default_signals, bool with_filter = true);

/// After the process has ended, once: the errno of why the program could not be executed, or 0 if it was. Closes the
/// descriptor.
[[nodiscard]] int failure_of_exec(TracedStart& start);

}  // namespace aesgate::witness
