#include "core/cpu.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include <fmt/format.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "abi/aesgate_backend.h"
#include "core/cpu_mask.h"

namespace aesgate {
namespace {

enum class Register : std::uint8_t { eax, ebx, ecx, edx };

/// A CPUID bit (Intel SDM volume 2, CPUID) and the register state that must be enabled beside it
/// (XCR0; SDM volume 1, section 13.3): 6 is XMM and YMM, 0xe6 all of AVX-512.
struct Bit {
  std::uint32_t leaf;
  Register reg;
  unsigned bit;
  const char* name;
};
struct Requirement {
  Feature feature;
  const char* name;
  std::array<Bit, 5> bits;
  std::size_t bit_count;
  std::uint64_t state;
};

constexpr std::array requirements{
    Requirement{Feature::ssse3, "ssse3", {{{1, Register::ecx, 9, "SSSE3"}}}, 1, 0},
    Requirement{Feature::sse41, "sse41", {{{1, Register::ecx, 19, "SSE4.1"}}}, 1, 0},
    Requirement{Feature::aes, "aes", {{{1, Register::ecx, 25, "AES"}}}, 1, 0},
    Requirement{Feature::avx, "avx", {{{1, Register::ecx, 28, "AVX"}}}, 1, 0x6},
    Requirement{Feature::avx2, "avx2", {{{7, Register::ebx, 5, "AVX2"}}}, 1, 0x6},
    Requirement{Feature::vaes, "vaes", {{{7, Register::ecx, 9, "VAES"}}}, 1, 0x6},
    Requirement{Feature::gfni, "gfni", {{{7, Register::ecx, 8, "GFNI"}}}, 1, 0},
    Requirement{Feature::avx512,
                "avx512",
                {{{7, Register::ebx, 16, "AVX512F"},
                  {7, Register::ebx, 17, "AVX512DQ"},
                  {7, Register::ebx, 30, "AVX512BW"},
                  {7, Register::ebx, 31, "AVX512VL"},
                  {7, Register::ecx, 1, "AVX512_VBMI"}}},
                5,
                0xe6},
};

const Requirement& requirement(Feature feature) { return requirements[static_cast<std::size_t>(feature)]; }

#if defined(__x86_64__) || defined(__i386__)

std::array<std::uint32_t, 4> cpuid(std::uint32_t leaf) {
  std::array<std::uint32_t, 4> r{};
  if (__get_cpuid_count(leaf, 0, &r[0], &r[1], &r[2], &r[3]) == 0) return {};
  return r;
}

std::uint64_t enabled_state() {
  if ((cpuid(1)[2] >> 27 & 1) == 0) return 0;  // no OSXSAVE, no XCR0
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<std::uint64_t>(high) << 32 | low;
}

std::string find_reason(const Requirement& needs) {
  static constexpr std::array register_names{"EAX", "EBX", "ECX", "EDX"};
  for (std::size_t i = 0; i < needs.bit_count; ++i) {
    const Bit& bit = needs.bits[i];
    if ((cpuid(bit.leaf)[static_cast<std::size_t>(bit.reg)] >> bit.bit & 1) == 0)
      return fmt::format("CPUID.{}:{}[{}] {} is not set", bit.leaf, register_names[static_cast<std::size_t>(bit.reg)],
                         bit.bit, bit.name);
  }
  if ((enabled_state() & needs.state) != needs.state)
    return fmt::format("CPUID.{}:{}[{}] {} is set, but XCR0 lacks the {} state", needs.bits[0].leaf,
                       register_names[static_cast<std::size_t>(needs.bits[0].reg)], needs.bits[0].bit,
                       needs.bits[0].name, needs.state == 0x6 ? "YMM" : "ZMM");
  return {};
}

#else

std::string find_reason(const Requirement& needs) { return fmt::format("{} is an x86 feature", needs.name); }

#endif

const std::string& reason_for(Feature feature) {
  static const auto reasons = [] {
    std::array<std::string, std::size(all_features)> all;
    for (const Requirement& needs : requirements)
      all[static_cast<std::size_t>(needs.feature)] =
          cpu_mask().hides(needs.feature) ? fmt::format("{} is hidden by --cpu-mask {}", needs.name, cpu_mask().text())
                                          : find_reason(needs);
    return all;
  }();
  return reasons[static_cast<std::size_t>(feature)];
}

}  // namespace

const char* name(Feature feature) { return requirement(feature).name; }

bool has(Feature feature) { return reason_for(feature).empty(); }

const char* why_not(Feature feature) { return reason_for(feature).c_str(); }

int probe_features(const Feature* features, std::size_t count, char* reason, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i) {
    if (has(features[i])) continue;
    if (size > 0) {
      const std::string& why = reason_for(features[i]);
      const std::size_t length = std::min(why.size(), size - 1);
      std::memcpy(reason, why.data(), length);
      reason[length] = '\0';
    }
    return AESGATE_UNAVAILABLE;
  }
  return AESGATE_OK;
}

}  // namespace aesgate
