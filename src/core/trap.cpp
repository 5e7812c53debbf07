#include "core/trap.h"

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>

#include <fmt/format.h>
#include <ucontext.h>
#include <unistd.h>

namespace aesgate {
namespace {

constexpr std::array trapped_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

struct Frame {
  sigjmp_buf resume;
  Crash crash;
};

thread_local Frame* volatile current_frame = nullptr;
std::array<struct sigaction, trapped_signals.size()> previous_actions;

Crash::Access access_of([[maybe_unused]] int signal, [[maybe_unused]] void* context) {
#if defined(__x86_64__) && defined(__linux__)
  if (signal != SIGSEGV) return Crash::Access::unknown;
  // Bit 1 of the page fault's error code: the access was a write (Intel SDM volume 3, section 4.7).
  const auto error = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
  return (error & 2) != 0 ? Crash::Access::write : Crash::Access::read;
#else
  return Crash::Access::unknown;
#endif
}

void pass_on(int signal, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < trapped_signals.size(); ++i) {
    if (trapped_signals[i] != signal) continue;
    const struct sigaction& previous = previous_actions[i];
    if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
    if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  }
  // On return the instruction runs again, or abort() raises again, and the default action ends it.
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) std::raise(signal);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Frame* const frame = current_frame;
  if (frame == nullptr) return pass_on(signal, info, context);
  current_frame = nullptr;
  frame->crash.signal = signal;
  frame->crash.address = info->si_addr;
  frame->crash.access = access_of(signal, context);
  siglongjmp(frame->resume, 1);
}

bool exit_is_left_to_the_backend = false;
bool the_end_is_awaited = false;

/// exit() within a trapped call: async-signal-safe functions only, since nothing is known about the backend's state.
void on_exit_in_a_call() {
  if (exit_is_left_to_the_backend || (current_frame == nullptr && !the_end_is_awaited)) return;
  static constexpr char line[] = "aesgate: a backend called exit(); there is no verdict\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
  _exit(1);
}

bool install_handlers() {
  std::atexit(on_exit_in_a_call);
  for (std::size_t i = 0; i < trapped_signals.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(trapped_signals[i], &action, &previous_actions[i]);
  }
  return true;
}

/// A signal stack for this thread, unless it has one, so that a stack overflow is a crash like others.
class SignalStack {
 public:
  SignalStack() {
    stack_t present{};
    if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    constexpr std::size_t size = 1u << 16;
    memory_ = std::make_unique<std::byte[]>(size);
    const stack_t stack{memory_.get(), 0, size};
    sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    if (!memory_) return;
    const stack_t none{nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

std::string signal_name(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string name(const Crash& crash) {
  return crash.signal != 0 ? signal_name(crash.signal) : fmt::format("a C++ exception ({})", crash.exception);
}

void await_the_end() {
  the_end_is_awaited = true;
  // Before any that a backend registers, and so called after them.
  [[maybe_unused]] static const int registered = std::atexit(on_exit_in_a_call);
}

void the_end_has_come() { the_end_is_awaited = false; }

void leave_exit_to_the_backend() { exit_is_left_to_the_backend = true; }

std::optional<Crash> detail::run_trapped(TrappedCall call, void* data) {
  [[maybe_unused]] static const bool installed = install_handlers();
  thread_local SignalStack signal_stack;
  Frame frame;
  // SA_NODEFER leaves the signal mask as it is, so there is none to save, and no system call a call.
  if (sigsetjmp(frame.resume, 0) != 0) return frame.crash;
  current_frame = &frame;
  try {
    call(data);
  } catch (const std::exception& exception) {
    current_frame = nullptr;
    frame.crash.exception = exception.what();
    return frame.crash;
  } catch (...) {
    current_frame = nullptr;
    frame.crash.exception = "of a type of its own";
    return frame.crash;
  }
  current_frame = nullptr;
  return std::nullopt;
}

}  // namespace aesgate
