// Right, and slow where a real backend became slow. Each has a twin that is as it was before.

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "speed";

struct Slower : Good {
  static constexpr const char* needs = "gate";
  static constexpr const char* twin = "clean-plain";
  /// As much work as the call, on memory of its own.
  static void waste(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) asm volatile("" : : "r"(i) : "memory");
  }
};

struct InPlace : Slower {
  static void after(Call c) {
    if (c.is(AESGATE_CFB128) && c.in_place()) waste(3 * c.n);
  }
};
AESGATE_FAULT("fault-slow-in-place", InPlace, "Crypto++ 1088", "CFB128 in place takes a third longer");

struct ParallelLost : Slower {
  static int update(Call c) {
    if (!c.is(AESGATE_CBC, AESGATE_DECRYPT) || c.n % 16 != 0) return c.run();
    for (std::size_t i = 0; i < c.n; i += 16) {
      const int status = c.m.update(c.in + i, c.out + i, 16);
      if (status != AESGATE_OK) return status;
      // The good backend has hardly anything that is parallel to lose: what a block waits for the one before.
      if (i != 0) waste(60);
    }
    return AESGATE_OK;
  }
};
AESGATE_FAULT("fault-parallel-decrypt-lost", ParallelLost, "Botan cf8f7b5b",
              "CBC decryption takes one block after the other");

struct OneBlock : Slower {
  static void after(Call c) {
    if (c.n == 16) waste(300);
  }
};
AESGATE_FAULT("fault-slow-one-block", OneBlock, "siphon-sip 305", "a call of one block takes three times as long");

struct Small : Slower {
  static void after(Call c) {
    if (c.bytes() <= 32) waste(250);
  }
};
AESGATE_FAULT("fault-slow-small-calls", Small, "openssl 27513", "calls of up to 32 bytes take almost twice as long");

}  // namespace
}  // namespace aesgate::faults
