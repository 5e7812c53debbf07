#include "witness/single_step.h"

#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "core/trap.h"
#include "emulator/padlock.h"

namespace aesgate::witness {

#if defined(__x86_64__) && defined(__linux__)
namespace {

/// What the child tells: an exit status would be the function's to choose.
struct Report {
  bool stepped, stopped, returned;
};

/// Memory that a child shares; freed with the object.
class SharedReport {
 public:
  SharedReport() {
    void* const memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    report_ = new (memory) Report{};
  }
  ~SharedReport() { munmap(report_, sizeof(Report)); }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;
  volatile Report* operator->() const { return report_; }

 private:
  Report* report_;
};

constexpr std::uint64_t trap_flag = 0x100;  // Intel SDM volume 3, section 2.3

// Of the child, which has one function to run.
Observer the_observer;
void* the_observers_data;
const SharedReport* the_report;

std::span<const std::uint8_t> extended_state(const mcontext_t& machine) {
  const auto* const area = reinterpret_cast<const std::uint8_t*>(machine.fpregs);
  if (area == nullptr) return {};
  const auto& software = reinterpret_cast<const _fpx_sw_bytes*>(area + 464)[0];  // asm/sigcontext.h
  return {area, software.magic1 == FP_XSTATE_MAGIC1 ? software.xstate_size : 512};
}

void on_trap(int, siginfo_t*, void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  static constexpr std::array order{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  Registers registers;
  for (std::size_t i = 0; i < order.size(); ++i)
    registers.general[i] = static_cast<std::uint64_t>(machine.gregs[order[i]]);
  asm("mov %%fs:0, %0" : "=r"(registers.fs_base));  // the ABI keeps the thread pointer there
  registers.extended = extended_state(machine);
  (*the_report)->stepped = true;
  if (the_observer({static_cast<std::uint64_t>(machine.gregs[REG_RIP]), registers}, the_observers_data)) return;
  (*the_report)->stopped = true;
  _exit(0);
}

void take_traps() {
  static std::uint8_t stack_memory[1u << 18];
  stack_t stack{};
  stack.ss_sp = stack_memory;
  stack.ss_size = sizeof stack_memory;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  sigaction(SIGTRAP, &action, nullptr);
}

/// The child dies with this process, leaves no core file, and ends by itself when its time is over.
void prepare_child(pid_t parent, std::chrono::seconds limit) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) std::signal(signal, SIG_DFL);
  if (!emulator::padlock_is_installed()) std::signal(SIGILL, SIG_DFL);
  sigset_t open;
  sigemptyset(&open);
  sigaddset(&open, SIGALRM);
  sigaddset(&open, SIGTRAP);
  sigprocmask(SIG_UNBLOCK, &open, nullptr);
  alarm(static_cast<unsigned>(limit.count()));
}

Ending ending_of(int status, const SharedReport& report) {
  using How = Ending::How;
  if (WIFSIGNALED(status)) return {WTERMSIG(status) == SIGALRM ? How::timed_out : How::signalled, WTERMSIG(status)};
  if (report->stopped) return {How::stopped, 0};
  if (!report->returned) return {How::exited, WEXITSTATUS(status)};
  return {report->stepped ? How::returned : How::unstepped, 0};
}

}  // namespace

Ending single_step(void (*function)(void*), void* data, Observer observer, void* observer_data,
                   std::chrono::seconds limit) {
  const SharedReport report;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "no child to single-step: fork()");
  if (child == 0) {
    prepare_child(parent, limit);
    the_observer = observer;
    the_observers_data = observer_data;
    the_report = &report;
    take_traps();
    __writeeflags(__readeflags() | trap_flag);
    function(data);
    __writeeflags(__readeflags() & ~trap_flag);
    report->returned = true;
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return ending_of(status, report);
}

void pause_steps() { __writeeflags(__readeflags() & ~trap_flag); }
void resume_steps() { __writeeflags(__readeflags() | trap_flag); }

std::string why_no_single_steps() {
  try {
    const Ending tried = single_step([] {}, [](const Step&) { return true; }, std::chrono::seconds(10));
    return tried.how == Ending::How::returned ? "" : fmt::format("single steps were tried, and {}", describe(tried));
  } catch (const std::system_error& wrong) {
    return wrong.what();
  }
}

#else

void pause_steps() {}
void resume_steps() {}

std::string why_no_single_steps() { return "only x86-64 on Linux is single-stepped"; }

Ending single_step(void (*)(void*), void*, Observer, void*, std::chrono::seconds) { return {}; }

#endif

std::string describe(const Ending& ending) {
  switch (ending.how) {
    case Ending::How::returned: return "it returned";
    case Ending::How::stopped: return "it was stopped";
    case Ending::How::exited: return fmt::format("it called exit({})", ending.number);
    case Ending::How::signalled: return fmt::format("its process ended by {}", signal_name(ending.number));
    case Ending::How::timed_out: return "it took too long";
    case Ending::How::unstepped: return "this system delivers no single steps";
  }
  return {};
}

}  // namespace aesgate::witness
