#pragma once

#include <optional>
#include <string>

namespace aesgate {

/// Crash: the signal that ended a call.
struct Crash {
  int signal = 0;
  const void* address = nullptr;  // what SIGSEGV and SIGBUS were about
  enum class Access { unknown, read, write } access = Access::unknown;
};

/// "SIGSEGV", "SIGBUS", …
[[nodiscard]] std::string signal_name(int signal);

namespace detail {
using TrappedCall = void (*)(void* data);
[[nodiscard]] std::optional<Crash> run_trapped(TrappedCall call, void* data);
}  // namespace detail

/// Runs `call`, which may not own anything, and says by which of SIGSEGV, SIGBUS, SIGILL, SIGFPE and
/// SIGABRT it ended, if it did: it then stopped where it was, and what it worked on is of no more use.
/// Signals that come while no trapped call runs on the thread go where they went before.
template <typename Call>
[[nodiscard]] std::optional<Crash> run_trapped(Call& call) {
  return detail::run_trapped([](void* data) { (*static_cast<Call*>(data))(); }, &call);
}

}  // namespace aesgate
