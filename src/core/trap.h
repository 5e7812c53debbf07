#pragma once

#include <optional>
#include <string>

namespace aesgate {

/// Crash: the signal that ended a call, or the C++ exception that left it.
struct Crash {
  int signal = 0;                 // 0: an exception
  std::string exception;          // its what()
  const void* address = nullptr;  // what SIGSEGV and SIGBUS were about
  enum class Access { unknown, read, write } access = Access::unknown;
};

/// "SIGSEGV", "SIGBUS", …
[[nodiscard]] std::string signal_name(int signal);

namespace detail {
using TrappedCall = void (*)(void* data);
[[nodiscard]] std::optional<Crash> run_trapped(TrappedCall call, void* data);
}  // namespace detail

/// "SIGSEGV", or "a C++ exception (WHAT)".
[[nodiscard]] std::string name(const Crash& crash);

/// exit() in a trapped call ends this process with the backend's own status: for a process that another one watches.
void leave_exit_to_the_backend();

/// From await_the_end() until the_end_has_come(), exit() anywhere is a backend's doing, also of one that is being
/// loaded: status 1 and a line that says so.
void await_the_end();
void the_end_has_come();

/// Runs `call`, which may not own anything, and says by which of SIGSEGV, SIGBUS, SIGILL, SIGFPE and
/// SIGABRT, or by which exception, it ended, if it did: it then stopped where it was, and what it worked on is of no
/// more use. A call that ends the process by exit() ends it with status 1 and a line that says so: whoever waits for
/// a verdict must not take a backend's exit(0) for one.
/// Signals that come while no trapped call runs on the thread go where they went before.
template <typename Call>
[[nodiscard]] std::optional<Crash> run_trapped(Call& call) {
  return detail::run_trapped([](void* data) { (*static_cast<Call*>(data))(); }, &call);
}

}  // namespace aesgate
