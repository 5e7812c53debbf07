// State outside of the context: contexts of one thread, of several threads, interrupts and CPUs.

#include <array>
#include <atomic>

#include <pthread.h>
#include <sched.h>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "threads";

/// Long enough for another thread, or an interrupt, to come in between.
void linger() {
  for (int i = 0; i < 2000; ++i) asm volatile("" : : : "memory");
}

/// One register for the key, programmed by start().
struct KeyRegister : Good {
  static inline std::atomic<const Message*> programmed = nullptr;
  static int start(Message& m, const Byte* key, const Byte* iv) {
    programmed = &m;
    return m.start(key, iv);
  }
  static void after(Call c) {
    if (programmed != &c.m) c.flip(0);
  }
};
AESGATE_FAULT("fault-key-register", KeyRegister, "Zephyr 117861, mbed-os 5018",
              "the unit has one key, that of the context started last");

struct StaticScratch : Good {
  static inline Byte scratch[64];
  static int update(Call c) {
    const bool refused = (c.is(AESGATE_ECB) || c.is(AESGATE_CBC)) && c.n % 16 != 0;
    if (c.n == 0 || c.n > sizeof scratch || refused || c.is(AESGATE_CFB1)) return c.run();
    std::memcpy(scratch, c.in, c.n);
    asm volatile("" : : : "memory");
    linger();
    return c.m.update(scratch, c.out, c.n);
  }
};
AESGATE_FAULT("fault-static-scratch", StaticScratch, "a class of its own",
              "calls of up to 64 bytes go through a buffer that all threads share");

/// The same with nothing between the two steps that would give another thread the time.
struct StaticScratchInPassing : Good {
  static inline Byte scratch[4096];
  static int update(Call c) {
    if (!c.is(AESGATE_ECB) || c.n == 0 || c.n > sizeof scratch || c.n % 16 != 0) return c.run();
    std::memcpy(scratch, c.in, c.n);
    asm volatile("" : : : "memory");
    return c.m.update(scratch, c.out, c.n);
  }
};
AESGATE_FAULT("fault-static-scratch-in-passing", StaticScratchInPassing, "a class of its own",
              "ECB goes through a buffer that all threads share");

struct BusyUnit : Good {
  static inline std::atomic<int> inside = 0;
  static int update(Call c) {
    const int others = inside++;
    linger();
    const int status = others > 0 ? int{AESGATE_FAILED} : c.run();
    --inside;
    return status;
  }
};
AESGATE_FAULT("fault-one-call-at-a-time", BusyUnit, "a class of its own",
              "update() fails while another thread is in it");

struct BoundToThread : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    m.note = static_cast<std::size_t>(pthread_self());
    return m.start(key, iv);
  }
  static void after(Call c) {
    if (c.m.note != static_cast<std::size_t>(pthread_self())) c.flip(0);
  }
};
AESGATE_FAULT("fault-bound-to-thread", BoundToThread, "a class of its own",
              "a context is wrong on any thread but the one that started it");

struct PerCpu : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    m.note = static_cast<std::size_t>(sched_getcpu());
    return m.start(key, iv);
  }
  static void after(Call c) {
    if (c.m.note != static_cast<std::size_t>(sched_getcpu())) c.flip(0);
  }
};
AESGATE_FAULT("fault-state-of-a-cpu", PerCpu, "a class of its own",
              "the chaining value is kept in a variable of the CPU on which the context was started");

/// Contexts in a table; one more than it has places shares the first.
struct FourContexts : Good {
  static inline std::array<std::atomic<const Message*>, 4> places{};
  static int start(Message& m, const Byte* key, const Byte* iv) {
    m.note = 1;
    for (auto& place : places) {
      const Message* none = nullptr;
      if (!place.compare_exchange_strong(none, &m)) continue;
      m.note = 0;
      break;
    }
    return m.start(key, iv);
  }
  static void after(Call c) {
    if (c.m.note != 0) c.flip(0);
  }
  static void finish(Message& m) {
    for (auto& place : places)
      if (const Message* mine = &m; place.compare_exchange_strong(mine, nullptr)) break;
    m.finish();
  }
};
AESGATE_FAULT("fault-four-contexts", FourContexts, "a class of its own", "a fifth context that is alive is wrong");

struct FinishWipesOthers : Good {
  static inline std::atomic<std::size_t> finished = 0;
  static int start(Message& m, const Byte* key, const Byte* iv) {
    m.note = finished;
    return m.start(key, iv);
  }
  static void after(Call c) {
    if (c.m.note != finished) c.flip(0);
  }
  static void finish(Message& m) {
    ++finished;
    m.finish();
  }
};
AESGATE_FAULT("fault-finish-wipes-others", FinishWipesOthers, "a class of its own",
              "finish() of one context takes the key of all others");

struct OneLock : Good {
  static inline pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int start(Message& m, const Byte* key, const Byte* iv) {
    pthread_mutex_lock(&lock);
    return m.start(key, iv);
  }
  static void finish(Message& m) {
    m.finish();
    pthread_mutex_unlock(&lock);
  }
};
AESGATE_FAULT("fault-lock-from-start-to-finish", OneLock, "a class of its own",
              "a lock is held from start() to finish(): a second context waits for ever");

struct Sometimes : Good {
  static inline std::atomic<std::size_t> calls = 0;
  static void after(Call c) {
    if (++calls % 5000 == 0) c.flip(0);
  }
};
AESGATE_FAULT("fault-every-5000th-call", Sometimes, "a class of its own", "every 5000th call of the process is wrong");

#if defined(__x86_64__)
/// An interrupt, on its way back, makes a null selector that is not 0 to 0 (Intel SDM volume 2, IRET): the only trace
/// that one leaves in a program's registers.
struct Interrupted : Good {
  static int update(Call c) {
    std::uint16_t selector = 3;
    asm volatile("movw %0, %%gs" : : "r"(selector));
    linger();
    const int status = c.run();
    asm volatile("movw %%gs, %0" : "=r"(selector));
    if (selector == 0 && status == AESGATE_OK && c.n != 0 && c.is(AESGATE_ECB)) c.flip(0);
    return status;
  }
};
AESGATE_FAULT("fault-interrupted", Interrupted, "Cortex-A57 and A72, errata 1319537 and 1655431",
              "ECB: wrong when an interrupt comes in the middle of a call");
#endif

}  // namespace
}  // namespace aesgate::faults
