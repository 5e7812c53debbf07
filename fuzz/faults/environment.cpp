// What a backend may not depend on: memory that nobody set, the clock, where the stack is.

#include <time.h>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "environment";

struct ZeroIsWrong : Good {
  static void after(Call c) {
    if (c.n > 3 && c.m.calls == 0 && c.m.unset % 16 == 0) c.flip(0);
  }
};
AESGATE_FAULT("fault-zeroed-context", ZeroIsWrong, "a class of its own",
              "wrong where the context's memory was zero before start()");

struct OnesAreWrong : Good {
  static void after(Call c) {
    if (c.n > 3 && c.m.calls == 0 && c.m.unset == ~std::size_t{0}) c.flip(0);
  }
};
AESGATE_FAULT("fault-context-of-ones", OnesAreWrong, "a class of its own",
              "wrong where the context's memory was all ones before start()");

struct ReadsClock : Good {
  static void after(Call c) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_nsec / 1000 % 64 == 0 && c.is(AESGATE_OFB)) c.flip(0);
  }
};
AESGATE_FAULT("fault-depends-on-clock", ReadsClock, "a class of its own", "OFB: wrong in every 64th microsecond");

struct Stack : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC) && address(__builtin_frame_address(0)) % 64 >= 48) c.flip(0);
  }
};
AESGATE_FAULT("fault-depends-on-stack", Stack, "libgcrypt 32b4ab20, aada6045",
              "CBC: wrong where the stack lies in the last quarter of a cache line");

}  // namespace
}  // namespace aesgate::faults
