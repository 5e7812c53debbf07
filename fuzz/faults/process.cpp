// What a backend does to the process that it is in.

#include <atomic>
#include <cstdlib>

#include <signal.h>
#include <unistd.h>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "process";

/// Where most of these strike: late enough for a run to be well under way.
bool strikes(Call c) { return c.is(AESGATE_CBC) && c.n >= 256; }

struct Exits : Good {
  static void before(Call c) {
    if (strikes(c)) std::exit(0);
  }
};
AESGATE_FAULT("fault-exits", Exits, "a class of its own", "CBC: long calls end the process with exit(0)");

struct ExitsAtOnce : Good {
  static int start(Message& /*m*/, const Byte* /*key*/, const Byte* /*iv*/) { _exit(0); }
};
AESGATE_FAULT("fault-exits-in-start", ExitsAtOnce, "a class of its own", "start() ends the process with _exit(0)");

struct Aborts : Good {
  static void before(Call c) {
    if (strikes(c)) std::abort();
  }
};
AESGATE_FAULT("fault-aborts", Aborts, "a class of its own", "CBC: long calls abort");

struct Killed : Good {
  static void before(Call c) {
    if (strikes(c)) raise(SIGKILL);
  }
};
AESGATE_FAULT("fault-killed", Killed, "a class of its own",
              "CBC: long calls are killed, as by the kernel when memory is short");

struct ReadsNull : Good {
  static void before(Call c) {
    static const Byte* volatile null = nullptr;
    if (c.is(AESGATE_CFB8) && c.n == 33) touch(null);
  }
};
AESGATE_FAULT("fault-reads-null", ReadsNull, "OpenSSL 1032, 17995", "CFB8: calls of 33 bytes read address 0");

struct Recurses : Good {
  __attribute__((noinline)) static int recurse(int depth) {
    volatile char frame[4096];
    frame[depth % 4096] = 1;
    return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
  }
  static void before(Call c) {
    if (strikes(c)) (void)recurse(1);
  }
};
AESGATE_FAULT("fault-recurses", Recurses, "a class of its own", "CBC: long calls recurse until the stack is gone");

struct Hangs : Good {
  static void before(Call c) {
    while (c.is(AESGATE_OFB) && c.n >= 256) asm volatile("");
  }
};
AESGATE_FAULT("fault-hangs", Hangs, "a class of its own", "OFB: long calls never return");

struct Throws : Good {
  static void before(Call c) {
    if (strikes(c)) throw 42;
  }
};
AESGATE_FAULT("fault-throws", Throws, "a class of its own", "CBC: an exception leaves long calls");

struct ThrowsInFinish : Good {
  static void finish(Message& m) {
    const bool cfb1 = m.is(AESGATE_CFB1);
    m.finish();
    if (cfb1) throw 42;
  }
};
AESGATE_FAULT("fault-throws-in-finish", ThrowsInFinish, "a class of its own", "CFB1: an exception leaves finish()");

struct ClosesDescriptors : Good {
  static void before(Call c) {
    for (int descriptor = 0; strikes(c) && descriptor < 64; ++descriptor) close(descriptor);
  }
};
AESGATE_FAULT("fault-closes-descriptors", ClosesDescriptors, "a class of its own",
              "CBC: long calls close descriptors that are not theirs");

struct LeaksSessions : Good {
  static inline std::atomic<unsigned> open_sessions = 0;
  static int start(Message& m, const Byte* key, const Byte* iv) {
    const int status = m.start(key, iv);
    return ++open_sessions > 1000 ? int{AESGATE_FAILED} : status;
  }
};
AESGATE_FAULT("fault-leaks-sessions", LeaksSessions, "a class of its own",
              "finish() closes no session of the device, which has a thousand");

struct Prints : Good {
  static constexpr const char* needs = "warning: prints";
  static void before(Call c) {
    if (strikes(c)) (void)!write(STDOUT_FILENO, "debug\n", 6);
  }
};
AESGATE_FAULT("fault-prints", Prints, "a class of its own", "CBC: long calls write to standard output");

struct TakesSignal : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    (void)signal(SIGSEGV, SIG_IGN);
    return m.start(key, iv);
  }
  static void before(Call c) {
    if (c.is(AESGATE_ECB) && c.n == 48) touch(c.in + c.n);
  }
};
AESGATE_FAULT("fault-takes-signal-handler", TakesSignal, "a class of its own",
              "start() takes the caller's handler of SIGSEGV away; and ECB reads past its input");

}  // namespace
}  // namespace aesgate::faults
