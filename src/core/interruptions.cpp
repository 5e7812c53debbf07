#include "core/interruptions.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "core/cpu.h"
#include "core/splitmix.h"

namespace aesgate {
namespace {

constexpr int signal_number = SIGURG;
constexpr long delay_ns = 31'000, longest_wait_ns = 100'000;
constexpr long aimed_delay_ns = 15'000, shortest_gap_ns = 100, most_lateness_ns = 60'000;
constexpr unsigned gap_octaves = 7;

struct Interrupted {
  volatile std::sig_atomic_t count = 0;
  Migration* migration = nullptr;
  const Bystanders* bystanders = nullptr;
  timer_t timer{};
  volatile long aimed_ns = 0;     // when the signal was to come; 0: it has
  volatile long seen_ns = 0;      // the last look at the clock by who waits for it; 0: nobody does
  volatile long lateness_ns = 0;  // by which it came later than that: a hypervisor may stop a thread before
  std::uint64_t aims = 0;
};
thread_local Interrupted* volatile interrupted = nullptr;

enum class Width { none, sse, avx, avx512 };
Width width = Width::none;

#if defined(__x86_64__)
#define AESGATE_VECTOR_CLOBBERS                                                                                        \
  "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
      "xmm13", "xmm14", "xmm15"
#endif

/// All bits set in every vector register that the CPU has. In assembly, so that the compiler need not be allowed the
/// instructions, nor know.
[[maybe_unused]] void change_vector_registers() {
#if defined(__x86_64__)
  if (width == Width::avx512) {
    asm volatile(
        "kxnorq %%k1, %%k1, %%k1; kxnorq %%k2, %%k2, %%k2; kxnorq %%k3, %%k3, %%k3; kxnorq %%k7, %%k7, %%k7;"
        ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31;"
        "vpternlogd $0xff, %%zmm\\r, %%zmm\\r, %%zmm\\r; .endr; vzeroupper" ::
            : AESGATE_VECTOR_CLOBBERS);
  } else if (width == Width::avx) {
    asm volatile(
        ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15; vxorps %%ymm\\r, %%ymm\\r, %%ymm\\r;"
        "vcmptrueps %%ymm\\r, %%ymm\\r, %%ymm\\r; .endr; vzeroupper" ::
            : AESGATE_VECTOR_CLOBBERS);
  } else {
    asm volatile(".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15; pcmpeqd %%xmm\\r, %%xmm\\r; .endr" ::
                     : AESGATE_VECTOR_CLOBBERS);
  }
#endif
}

/// Once, so that a handler which takes long is not followed by the next one at once: the interrupted code must get on.
void set_off(timer_t timer) {
  const itimerspec once{{0, 0}, {0, delay_ns}};
  timer_settime(timer, 0, &once, nullptr);
}

long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// Until they have made one call more than there are of them, the last of which began after this did. They may wait for
/// a lock that the interrupted code holds: not for ever.
void let_others_call(const Bystanders& others) {
  const std::size_t enough = others.calls + others.at_work + 1;
  const long end = now_ns() + longest_wait_ns;
  while (others.at_work > 0 && others.calls < enough && now_ns() < end) sched_yield();
}

#if defined(__x86_64__)
// qemu-x86_64 7.2 enters a handler with a stack pointer that is no multiple of 16.
[[gnu::force_align_arg_pointer]]
#endif
void on_timer(int) {
  Interrupted* const here = interrupted;
  if (here == nullptr) return;
  const int error = errno;
  std::array<volatile std::uint8_t, 1024> stack;
  for (volatile std::uint8_t& byte : stack) byte = 0xa7;
  change_vector_registers();
  here->count = here->count + 1;
  // The thread was stopped where it looked at the clock last, long before the handler began.
  if (here->aimed_ns != 0 && here->seen_ns != 0)
    here->lateness_ns = std::clamp(here->seen_ns - here->aimed_ns, -aimed_delay_ns, most_lateness_ns);
  here->aimed_ns = 0;
  if (here->migration != nullptr) here->migration->next();
  if (here->bystanders != nullptr) let_others_call(*here->bystanders);
  set_off(here->timer);
  errno = error;
}

bool install_handler() {
  width = has(Feature::avx512) ? Width::avx512 : has(Feature::avx) ? Width::avx : Width::sse;
  struct sigaction action {};
  action.sa_handler = on_timer;
  // On the thread's own stack, just below what the call has there: a call that keeps something past its red zone loses
  // it.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(signal_number, &action, nullptr) == 0;
}

thread_local Interrupted state;

}  // namespace

Interruptions::Interruptions(Migration* migration, const Bystanders* bystanders) {
  static const bool installed = install_handler();
  state.count = 0;
  state.migration = migration;
  state.aimed_ns = 0;
  state.bystanders = bystanders;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number;
  event._sigev_un._tid = gettid();
  if (!installed || timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) {
    why_none_ = fmt::format("there is no timer for it: {}", std::strerror(errno));
    return;
  }
  state.timer = timer_;
  interrupted = &state;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  set_off(timer_);
}

Interruptions::~Interruptions() {
  if (!why_none_.empty()) return;
  interrupted = nullptr;
  timer_delete(timer_);
}

void Interruptions::aim() {
  Interrupted* const here = interrupted;
  if (here == nullptr) return;
  const std::uint64_t aims = here->aims++, drawn = splitmix(aims);
  const long octave = shortest_gap_ns << (drawn % gap_octaves);
  const long gap = octave + static_cast<long>((drawn >> 32) % static_cast<std::uint64_t>(octave));
  const long aimed = now_ns() + aimed_delay_ns;
  here->aimed_ns = aimed;
  const itimerspec once{{0, 0}, {aimed / 1'000'000'000, aimed % 1'000'000'000}};
  timer_settime(here->timer, TIMER_ABSTIME, &once, nullptr);
  // One in eight is waited for to its end, so as to know how late they come.
  const long begin = aims % 8 == 0 ? aimed + longest_wait_ns : aimed + here->lateness_ns - gap;
  long now = 0;
  while (here->aimed_ns != 0 && now < begin) {
    now = now_ns();
    here->seen_ns = now;
  }
  here->seen_ns = 0;
}

unsigned Interruptions::count() const { return static_cast<unsigned>(state.count); }

}  // namespace aesgate
