#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/text_file.h"

namespace aesgate {

/// KernelDriver: an entry of Linux's /proc/crypto: one implementation of an algorithm.
struct KernelDriver {
  std::string algorithm;  // "cbc(aes)"
  std::string driver;     // "cbc-aes-aesni"
  std::string module;     // "aesni_intel", or "kernel" if it is built in
  std::string type;       // "skcipher", "lskcipher", "shash", …
  int priority = 0;       // who asks for the algorithm gets the driver with the highest
  bool internal = false;  // only for other drivers
};

/// The entries of a file in that format, in its order. An Error if it cannot be read, or an entry has no name or
/// driver.
[[nodiscard]] Result<std::vector<KernelDriver>> parse_kernel_drivers(TextReader reader);

/// The same of /proc/crypto, as it is now: the kernel adds drivers when they are first asked for.
[[nodiscard]] Result<std::vector<KernelDriver>> kernel_drivers();

/// Which of them serves who asks for this symmetric cipher by the name of its algorithm or of a driver: the one with
/// the highest priority. Null if none is there yet.
[[nodiscard]] const KernelDriver* serving_driver(const std::vector<KernelDriver>& drivers, std::string_view cipher);

}  // namespace aesgate
