#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "perf/clock.h"

namespace aesgate {

#if defined(__x86_64__)

namespace {

/// The time-stamp counter. LFENCE waits until all instructions before it are done, and none after it
/// begins before it is (Intel SDM volume 2, LFENCE; AMD sets DE_CFG[1] for the same). CPUID does that too,
/// but leaves a virtual machine for it and costs thousands of cycles there.
class TimeStampCounter final : public Clock {
 public:
  TimeStampCounter() {
    description_.name = "time-stamp counter, read by LFENCE; RDTSC; LFENCE … RDTSCP; LFENCE";
    description_.unit = "tick";
  }

  std::uint64_t start() override {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;  // both are zero-extended by RDTSC
  }

  std::uint64_t stop() override {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    asm volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return high << 32 | low;
  }
};

bool cpuid_bit(unsigned leaf, unsigned edx_bit) {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && (edx >> edx_bit & 1) != 0;
}

/// Does the kernel trust it? It takes it for its own time only after it has watched it. A hypervisor often
/// hides the CPUID bit.
bool kernel_uses_it() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return static_cast<bool>(file >> source) && source == "tsc";
}

}  // namespace

Result<std::unique_ptr<Clock>> counter_clock() {
  if (!cpuid_bit(0x80000001, 27)) return error("no RDTSCP on this CPU (CPUID.80000001:EDX[27])");
  if (!cpuid_bit(0x80000007, 8) && !kernel_uses_it())
    return error("the time-stamp counter is not invariant (CPUID.80000007:EDX[8]), nor the kernel's own clock");
  return std::make_unique<TimeStampCounter>();
}

#elif defined(__aarch64__)

namespace {

/// The virtual count (Arm ARM, D12.1): one rate, often a coarse one. ISB keeps the read in its place, DSB
/// waits for the memory accesses before it.
class VirtualCount final : public Clock {
 public:
  VirtualCount() {
    description_.name = "virtual counter, read by DSB; ISB; MRS CNTVCT_EL0; ISB";
    description_.unit = "tick";
  }
  std::uint64_t start() override { return read(); }
  std::uint64_t stop() override { return read(); }

 private:
  static std::uint64_t read() {
    std::uint64_t count = 0;
    asm volatile("dsb sy\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(count) : : "memory");
    return count;
  }
};

}  // namespace

Result<std::unique_ptr<Clock>> counter_clock() { return std::make_unique<VirtualCount>(); }

#elif defined(__riscv) && __riscv_xlen == 64

namespace {

/// The time CSR (RISC-V unprivileged ISA, Zicntr): one rate, often a coarse one.
class TimeCounter final : public Clock {
 public:
  TimeCounter() {
    description_.name = "time counter, read by FENCE; RDTIME";
    description_.unit = "tick";
  }
  std::uint64_t start() override { return read(); }
  std::uint64_t stop() override { return read(); }

 private:
  static std::uint64_t read() {
    std::uint64_t count = 0;
    asm volatile("fence iorw, iorw\n\trdtime %0\n\tfence iorw, iorw" : "=r"(count) : : "memory");
    return count;
  }
};

}  // namespace

Result<std::unique_ptr<Clock>> counter_clock() { return std::make_unique<TimeCounter>(); }

#else

Result<std::unique_ptr<Clock>> counter_clock() { return error("no counter of this architecture is known here"); }

#endif

}  // namespace aesgate
