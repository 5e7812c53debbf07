#pragma once

#include <chrono>
#include <string>

#include "witness/step.h"

namespace aesgate::witness {

// Runs a function of this program in a forked child with the CPU's trap flag set, so that it stops after each
// instruction. No tracer and no privilege is needed, also where ptrace() is forbidden.

/// Observer: called in the child before each instruction of the function, on a stack of its own, in a signal handler:
/// it may not allocate, lock or print, and leaves what it learns in shared memory. `false` ends the child there.
using Observer = bool (*)(const Step& step, void* data);

/// Ending: how the function went. Only `returned` means that it was seen from its first instruction to its last.
struct Ending {
  enum class How {
    returned,
    stopped,    // by the observer
    exited,     // the function ended the process, with status `number`
    signalled,  // by signal `number`
    timed_out,
    unstepped  // it returned, but the system delivered no steps
  };
  How how = How::unstepped;
  int number = 0;
};

/// "it called exit(3)", "SIGSEGV", …
[[nodiscard]] std::string describe(const Ending& ending);

/// Why nothing can be single-stepped here, in words; empty where it can: it is tried, in a child.
[[nodiscard]] std::string why_no_single_steps();

/// Steps of the calling thread of the child alone. The child begins as a copy of this process, so that two children of
/// a process that changed nothing between them have everything at the same addresses. About 20 microseconds a step.
/// `limit`: of time on the clock, rounded up to seconds. What a handler of another signal does is not stepped: an
/// emulated instruction (emulator/padlock.h) is one step. Throws std::system_error if there can be no child.
[[nodiscard]] Ending single_step(void (*function)(void*), void* data, Observer observer, void* observer_data,
                                 std::chrono::seconds limit);

/// For the function of single_step(): from pause_steps() to resume_steps() it runs at full speed, unseen.
void pause_steps();
void resume_steps();

/// The same for callables, which are not copied.
template <typename Function, typename Observing>
[[nodiscard]] Ending single_step(const Function& function, const Observing& observer, std::chrono::seconds limit) {
  const auto untyped = [](const auto& callable) { return const_cast<void*>(static_cast<const void*>(&callable)); };
  return single_step([](void* data) { (*static_cast<const Function*>(data))(); }, untyped(function),
                     [](const Step& step, void* data) { return (*static_cast<const Observing*>(data))(step); },
                     untyped(observer), limit);
}

}  // namespace aesgate::witness
