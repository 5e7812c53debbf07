#pragma once

#include <string>

namespace aesgate {

/// Host: the machine, for the head of a report.
struct Host {
  std::string cpu;           // its own name for itself, or the architecture's
  std::string architecture;  // "x86_64"
  std::string system;        // "Linux 6.1.0"
  std::string compiler;      // "clang 14.0.6"
  unsigned cpus = 0;         // that this process may use
  std::string features;      // "ssse3 sse41 aes …", of all_features
  std::string cpu_mask;      // what of them is hidden, in the words of --cpu-mask; empty if nothing is
};
[[nodiscard]] Host describe_host();

/// A line for the head of a report, "hidden by --cpu-mask: aes,avx512", or nothing.
[[nodiscard]] std::string hidden_features(const Host& host);

}  // namespace aesgate
