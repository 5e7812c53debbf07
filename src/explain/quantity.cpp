#include "explain/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace aesgate::explain {
namespace {

struct Unit {
  double seconds;
  std::string_view name;
};
constexpr std::array units{Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}, Unit{1e-9, "ns"}, Unit{1e-12, "ps"}};

const Unit& unit_of(double seconds) {
  for (const Unit& unit : units)
    if (std::abs(seconds) >= 0.0999 * unit.seconds) return unit;
  return units.back();
}

/// Decimals that show `digits` significant ones of a value.
int decimals(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 9);
}

}  // namespace

std::string significant(double value) { return fmt::format("{:.{}f}", value, decimals(value, 3)); }

std::string duration_text(double seconds) {
  const Unit& unit = unit_of(seconds);
  return fmt::format("{} {}", significant(seconds / unit.seconds), unit.name);
}

std::string duration_text(double seconds, double error) {
  const Unit& unit = unit_of(std::max(std::abs(seconds), error));
  const int digits = decimals(error / unit.seconds, 2);
  return fmt::format("{:.{}f} ± {:.{}f} {}", seconds / unit.seconds, digits, error / unit.seconds, digits, unit.name);
}

std::string megabytes_text(double bytes_per_second) { return significant(bytes_per_second / 1e6) + " MB/s"; }

std::string rate_text(double bytes_per_second) {
  return fmt::format("{} = {} Gbit/s", megabytes_text(bytes_per_second), significant(bytes_per_second * 8 / 1e9));
}

std::string times_text(double ratio) {
  return fmt::format("{:.{}f} times", ratio, ratio >= 9.95 ? 0 : decimals(ratio, 2));
}

std::string percent_text(double part) {
  const double percent = part * 100;
  return fmt::format("{:.{}f}%", percent, percent >= 9.95 || percent == 0 ? 0 : 1);
}

std::string size_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1024.0 * 1024) return significant(bytes / 1024) + " KiB";
  return significant(bytes / 1024 / 1024) + " MiB";
}

}  // namespace aesgate::explain
