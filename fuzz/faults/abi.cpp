// What a function may not leave behind in registers (System V ABI for AMD64, section 3.2.1). x86-64 only: elsewhere
// there are none of these.

#include <cstdio>

#include "fuzz/faults/wrapper.h"

#if defined(__x86_64__)

// The update function that is right, for the code around it to call.
extern "C" __attribute__((visibility("hidden"))) int aesgate_faults_plain_update(void* context, const std::uint8_t* in,
                                                                                 std::uint8_t* out,
                                                                                 std::size_t length) {
  return aesgate::faults::Functions<aesgate::faults::Good>::update(context, in, out, length);
}

namespace aesgate::faults {
namespace {

constexpr const char* group = "registers";

/// An update function that calls the right one and then does `instructions`. Naked: a compiler would put right again
/// what it does wrong.
#define AESGATE_ENTRY(instructions)                                                                       \
  __attribute__((naked)) static int entry(void*, const std::uint8_t*, std::uint8_t*, std::size_t) {       \
    asm("subq $8, %rsp\n\tcall aesgate_faults_plain_update\n\taddq $8, %rsp\n\t" instructions "\n\tret"); \
  }

struct LosesRbx : Good {
  AESGATE_ENTRY("notq %rbx")
};
AESGATE_FAULT("fault-loses-rbx", LosesRbx, "BoringSSL a0b74eb2", "update() does not restore RBX");

struct LosesRbp : Good {
  AESGATE_ENTRY("notq %rbp")
};
AESGATE_FAULT("fault-loses-rbp", LosesRbp, "Mbed TLS 9819", "inline assembly changes RBP, and does not say so");

struct LosesR12ToR15 : Good {
  AESGATE_ENTRY("notq %r12\n\tnotq %r13\n\tnotq %r14\n\tnotq %r15")
};
AESGATE_FAULT("fault-loses-r12-to-r15", LosesR12ToR15, "BoringSSL a0b74eb2", "update() does not restore R12 to R15");

struct LosesR14 : Good {
  AESGATE_ENTRY("xorl %r14d, %r14d")
};
AESGATE_FAULT("fault-loses-r14", LosesR14, "Mbed TLS 9819", "update() leaves a zero in R14");

struct DirectionFlag : Good {
  AESGATE_ENTRY("std")
};
AESGATE_FAULT("fault-direction-flag", DirectionFlag, "a class of its own",
              "update() returns with the direction flag set");

struct AlignmentCheck : Good {
  AESGATE_ENTRY("pushfq\n\torq $0x40000, (%rsp)\n\tpopfq")
};
AESGATE_FAULT("fault-alignment-check", AlignmentCheck, "a class of its own",
              "update() returns with EFLAGS.AC set: misaligned accesses of the caller then fault");

struct Mxcsr : Good {
  AESGATE_ENTRY("subq $8, %rsp\n\tstmxcsr (%rsp)\n\txorl $0x6000, (%rsp)\n\tldmxcsr (%rsp)\n\taddq $8, %rsp")
};
AESGATE_FAULT("fault-mxcsr", Mxcsr, "a class of its own", "update() changes how the caller rounds");

struct X87TagWord : Good {
  AESGATE_ENTRY("movd %eax, %mm0")
};
AESGATE_FAULT("fault-x87-tag-word", X87TagWord, "libgcrypt 0da77955",
              "MMX is used and not left by EMMS: the caller's x87 arithmetic gives NaN");

struct X87ControlWord : Good {
  AESGATE_ENTRY("subq $8, %rsp\n\tfnstcw (%rsp)\n\txorw $0x300, (%rsp)\n\tfldcw (%rsp)\n\taddq $8, %rsp")
};
AESGATE_FAULT("fault-x87-control-word", X87ControlWord, "a class of its own",
              "update() changes the precision of the caller's x87 arithmetic");

struct StackGrown : Good {
  __attribute__((naked)) static int entry(void*, const std::uint8_t*, std::uint8_t*, std::size_t) {
    asm("subq $8, %rsp\n\tcall aesgate_faults_plain_update\n\taddq $8, %rsp\n\tret $16");
  }
};
AESGATE_FAULT("fault-pops-too-much", StackGrown, "a class of its own",
              "update() returns as if the caller had pushed 16 bytes");

/// Keeps what it needs below the stack pointer, past the 128 bytes that are its own (section 3.2.2).
struct BelowRedZone : Good {
  static void after(Call c) {
    std::uint64_t kept = 0x6b657074;
    asm volatile("movq %0, -4096(%%rsp)\n\tmovl $20000, %%ecx\n1:\n\tdecl %%ecx\n\tjnz 1b\n\tmovq -4096(%%rsp), %0"
                 : "+r"(kept)
                 :
                 : "rcx", "cc", "memory");
    if (kept != 0x6b657074 && c.is(AESGATE_CBC)) c.flip(0);
  }
};
AESGATE_FAULT("fault-below-red-zone", BelowRedZone, "a class of its own",
              "CBC: data is kept 4096 bytes below the stack pointer, where a signal's frame lies");

/// Slow, and not wrong.
struct UpperHalves : Good {
  static constexpr const char* needs = "warning: leaves upper halves of vector registers in use";
  static int probe(char* reason, std::size_t size) {
    if (__builtin_cpu_supports("avx2")) return AESGATE_OK;
    std::snprintf(reason, size, "this CPU has no AVX2, and nothing to leave");
    return AESGATE_UNAVAILABLE;
  }
  static void after(Call /*call*/) {
    asm volatile(".byte 0xc5, 0xfd, 0x76, 0xc0" : : : "xmm0");  // VPCMPEQD YMM0, YMM0, YMM0, and no VZEROUPPER
  }
};
AESGATE_FAULT("fault-no-vzeroupper", UpperHalves, "AWS-LC 1115",
              "the upper halves of vector registers are left in use");

}  // namespace
}  // namespace aesgate::faults

#endif
