#include "perf/chains.h"

#include <cstdint>

namespace aesgate {

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

// A chain is some 14 µs long: the end of its loop, a mispredicted branch, is then 0.04% of it, and a counter
// that steps by 10 ns adds 0.07%.
constexpr std::uint32_t rounds = 192;

#if defined(__x86_64__)

/// ADD of two registers: latency 1 on every x86-64. Not ADD of an immediate, which Golden Cove adds up
/// while it renames registers, in no time.
void first_chain() {
  std::uint64_t x = 1;
  std::uint32_t n = rounds;
  asm volatile("1:\n\t.rept 256\n\tadd %2, %0\n\t.endr\n\tdec %1\n\tjnz 1b"
               : "+r"(x), "+r"(n)
               : "r"(std::uint64_t{3})
               : "cc");
}

/// IMUL of two 32-bit registers: latency 3 on AMD since K10 and Intel since Nehalem, in one pipe.
void second_chain() {
  std::uint32_t x = 1;
  std::uint32_t n = rounds;
  asm volatile("1:\n\t.rept 86\n\timul %2, %0\n\t.endr\n\tdec %1\n\tjnz 1b"
               : "+r"(x), "+r"(n)
               : "r"(std::uint32_t{3})
               : "cc");
}
constexpr double second_chain_cycles = 86.0 * 3 * rounds;
constexpr const char* second_chain_name = "IMUL";

constexpr std::uint32_t width_rounds = 128;
void width() {
  std::uint32_t n = width_rounds;
  asm volatile("1:\n\t.rept 256\n\tnop\n\t.endr\n\tdec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

#else

/// ADD of two registers: latency 1.
void first_chain() {
  std::uint64_t x = 1;
  std::uint32_t n = rounds;
  asm volatile("1:\n\t.rept 256\n\tadd %0, %0, %2\n\t.endr\n\tsubs %w1, %w1, #1\n\tb.ne 1b"
               : "+r"(x), "+r"(n)
               : "r"(std::uint64_t{3})
               : "cc");
}

/// ROR by an immediate: latency 1, in a shifter.
void second_chain() {
  std::uint64_t x = 1;
  std::uint32_t n = rounds;
  asm volatile("1:\n\t.rept 256\n\tror %0, %0, #1\n\t.endr\n\tsubs %w1, %w1, #1\n\tb.ne 1b"
               : "+r"(x), "+r"(n)
               :
               : "cc");
}
constexpr double second_chain_cycles = 256.0 * rounds;
constexpr const char* second_chain_name = "ROR";

constexpr std::uint32_t width_rounds = 128;
void width() {
  std::uint32_t n = width_rounds;
  asm volatile("1:\n\t.rept 256\n\tnop\n\t.endr\n\tsubs %w0, %w0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
}

#endif

}  // namespace

std::optional<CalibrationProbes> cpu_probes() {
  return CalibrationProbes{{"ADD", 256.0 * rounds, first_chain},
                           {second_chain_name, second_chain_cycles, second_chain},
                           {"NOP", 256.0 * width_rounds, width}};
}

#else

std::optional<CalibrationProbes> cpu_probes() { return std::nullopt; }

#endif

}  // namespace aesgate
