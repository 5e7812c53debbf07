#pragma once

#include <string>
#include <vector>

#include "core/cpu_mask.h"

namespace aesgate {

/// Variable: one of the environment.
struct Variable {
  const char* name;
  std::string value;
};

/// The variables that tell libraries to leave a mask's features alone, for those that read one. Each stands for all
/// that its library is told: a value that the user gave it is lost.
///
///     OPENSSL_ia32cap      OpenSSL 1.0 and later; OPENSSL_ia32cap(3)
///     BOTAN_CLEAR_CPUID    Botan 3.0 and later; its manual, "Hardware acceleration"
///     NETTLE_FAT_OVERRIDE  Nettle 3.1 and later, where it is built with --enable-fat, as Debian's is; fat-x86_64.c. It
///                          knows AES of what can be hidden, and nothing else
[[nodiscard]] std::vector<Variable> variables_of_libraries(const CpuMask& mask);

/// The names that Botan has for what a mask hides, for CPUID::bit_from_string() of Botan 2, which reads no variable.
[[nodiscard]] std::vector<const char*> botan_features(const CpuMask& mask);

/// The names that Libgcrypt 1.11 and older have for what a mask hides, for gcry_control(GCRYCTL_DISABLE_HWF).
[[nodiscard]] std::vector<const char*> libgcrypt_features(const CpuMask& mask);

}  // namespace aesgate
