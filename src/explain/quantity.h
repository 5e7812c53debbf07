#pragma once

#include <cstddef>
#include <string>

namespace aesgate::explain {

// Figures in words. Three significant digits: no saved output is worth more.

[[nodiscard]] std::string significant(double value);

/// "0.678 µs", "42.1 ns": never less than a tenth of its unit.
[[nodiscard]] std::string duration_text(double seconds);
/// "0.753 ± 0.041 µs": in the unit of the first, as exact as the second.
[[nodiscard]] std::string duration_text(double seconds, double error);

/// "1.46 MB/s = 0.0117 Gbit/s", of bytes a second; a megabyte is 10^6 bytes.
[[nodiscard]] std::string rate_text(double bytes_per_second);
[[nodiscard]] std::string megabytes_text(double bytes_per_second);

/// "82 times", "1.3 times".
[[nodiscard]] std::string times_text(double ratio);
/// "18%", "0.5%".
[[nodiscard]] std::string percent_text(double part);

/// "640 bytes", "2.30 KiB".
[[nodiscard]] std::string size_text(double bytes);

}  // namespace aesgate::explain
