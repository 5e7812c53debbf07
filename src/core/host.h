#pragma once

#include <string>

#include "core/result.h"

namespace aesgate {

/// Host: the machine, for the head of a report.
struct Host {
  std::string cpu;           // its own name for itself, or the architecture's
  std::string architecture;  // "x86_64"
  std::string system;        // "Linux 6.1.0"
  std::string compiler;      // "clang 14.0.6"
  unsigned cpus = 0;         // that this process may use
  std::string features;      // "ssse3 sse41 aes …", of all_features
};
[[nodiscard]] Host describe_host();

/// An Error unless each word of the environment's AESGATE_WITHOUT (core/cpu.h) names a feature: a misspelt one would
/// hide nothing, and what was meant to be left out would run.
[[nodiscard]] Result<void> check_cpu_environment();

}  // namespace aesgate
