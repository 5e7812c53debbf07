// Right answers by another unit than the one claimed: no answer shows it.

#include <cstdio>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "witness";

struct Claim : Good {
  static constexpr const char* needs = "witness";
};

struct ClaimsVaes : Claim {
  static constexpr const char* unit = "vaes.zmm";
};
AESGATE_FAULT("fault-claims-vaes", ClaimsVaes, "openwrt 965, Botan 3531f798", "says vaes.zmm and runs tables");

struct ClaimsAesni : Claim {
  static constexpr const char* unit = "aes.xmm";
};
AESGATE_FAULT("fault-claims-aesni", ClaimsAesni, "Botan 4649", "says aes.xmm, and AES-NI is never run");

struct ClaimsPadlock : Claim {
  static constexpr const char* unit = "xcrypt";
};
AESGATE_FAULT("fault-claims-xcrypt", ClaimsPadlock, "openwrt 965", "says xcrypt, and does without the unit");

struct ClaimsKernel : Claim {
  static constexpr const char* unit = "kernel";
};
AESGATE_FAULT("fault-claims-kernel", ClaimsKernel, "openwrt 965", "says kernel, and never asks it");

#if defined(__x86_64__)
struct FlagIgnored : Claim {
  static int probe(char* reason, std::size_t size) {
    if (__builtin_cpu_supports("aes")) return AESGATE_OK;
    std::snprintf(reason, size, "this CPU has no AES instruction to run against what it claims");
    return AESGATE_UNAVAILABLE;
  }
  static void after(Call c) {
    for (std::size_t i = 0; i < c.bytes(); i += 16) asm volatile("aesenc %%xmm0, %%xmm0" : : : "xmm0");
  }
};
AESGATE_FAULT("fault-disable-flag-ignored", FlagIgnored, "Botan 9f416e8c", "says none, and runs AES-NI");
#endif

}  // namespace
}  // namespace aesgate::faults
