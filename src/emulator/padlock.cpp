#include "emulator/padlock.h"

#if defined(__x86_64__) && defined(__linux__)

#include <atomic>
#include <csignal>
#include <mutex>

#include <ucontext.h>

#include "core/trap.h"
#include "emulator/padlock_unit.h"

namespace aesgate::emulator {
namespace {

std::mutex mutex;
std::atomic<bool> installed = false;
struct sigaction previous {};

/// On to whom the signal would have gone to without the emulator.
void pass_on(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  // On return the instruction runs again, and the default action ends the process; a signal that somebody sent is
  // sent again.
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) std::raise(signal);
}

void on_undefined_instruction(int signal, siginfo_t* info, void* context) {
  auto& general = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto read = [&general](int i) { return static_cast<std::uint64_t>(general[i]); };
  const bool by_the_cpu = info->si_code > 0;
  const auto instruction =
      by_the_cpu ? decode_xcrypt(reinterpret_cast<const std::uint8_t*>(general[REG_RIP])) : std::nullopt;
  if (!instruction) return pass_on(signal, info, context);
  XcryptRegisters r{read(REG_RAX), read(REG_RBX), read(REG_RCX), read(REG_RDX), read(REG_RSI), read(REG_RDI)};
  if (!run_xcrypt(*instruction, r)) return;
  const auto write = [&general](int i, std::uint64_t value) { general[i] = static_cast<greg_t>(value); };
  write(REG_RAX, r.rax);
  write(REG_RCX, r.rcx);
  write(REG_RSI, r.rsi);
  write(REG_RDI, r.rdi);
  write(REG_RIP, read(REG_RIP) + instruction->length);
}

/// Does this CPU have the unit? No block is asked of it.
bool has_unit() {
  auto nothing = [] {
    unsigned long count = 0;
    asm volatile(".byte 0xf3, 0x0f, 0xa7, 0xc8" : "+c"(count) : : "rax", "rbx", "rdx", "rsi", "rdi", "memory");
  };
  const std::optional<Crash> crash = run_trapped(nothing);
  return !crash || crash->signal != SIGILL;
}

}  // namespace

Result<void> install_padlock() {
  const std::lock_guard lock(mutex);
  if (installed) return {};
  // This also installs the handlers of core/trap.h, which would take a SIGILL in a backend for a crash: they must be
  // behind this one, whoever needs them first.
  if (has_unit()) return error("padlock: this CPU has the unit itself, so there is nothing to emulate");
  struct sigaction action {};
  action.sa_sigaction = on_undefined_instruction;
  // SA_NODEFER, and nothing masked: what runs in the handler may fault like the unit, and be left by siglongjmp().
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGILL, nullptr, &previous) != 0 || sigaction(SIGILL, &action, nullptr) != 0)
    return error("padlock: the system refuses a handler of SIGILL");
  installed = true;
  return {};
}

void remove_padlock() {
  const std::lock_guard lock(mutex);
  if (!installed.exchange(false)) return;
  sigaction(SIGILL, &previous, nullptr);
}

bool padlock_is_installed() { return installed; }

}  // namespace aesgate::emulator

#else

namespace aesgate::emulator {

Result<void> install_padlock() { return error("padlock: the emulator needs an x86-64 CPU and Linux"); }
void remove_padlock() {}
bool padlock_is_installed() { return false; }
void set_padlock_options(const PadlockOptions&) {}
PadlockCounters padlock_counters() { return {}; }
void reset_padlock_counters() {}

}  // namespace aesgate::emulator

#endif
