#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "perf/perf_formats.h"
#include "perf/via_profile.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

constexpr std::size_t bar_columns = 60;

std::string_view kind(const ViaRow& row) { return row.modelled ? "modelled" : name(row.kind); }

/// What a bar is made of, by ViaRow::Kind.
constexpr std::array<std::string_view, 3> shades{"░", "█", "▒"};

std::string figure(const std::optional<double>& value) {
  if (!value) return "-";
  return fmt::format("{:.{}f}", *value, *value < 100 ? 1 : 0);
}

std::string table(const std::vector<ViaRow>& rows) {
  std::string text = fmt::format("{:<9} {:<14}", "", "");
  for (const Mode mode : via_modes) text += fmt::format(" {:>9}", mode == Mode::cfb128 ? "CFB" : name(mode));
  text += '\n';
  for (const ViaRow& row : rows) {
    text += fmt::format("{:<9} {:<14}", kind(row), row.backend);
    for (const auto& value : row.iterations) text += fmt::format(" {:>9}", figure(value));
    text += '\n';
  }
  return text;
}

/// Bars from 10^low to 10^high.
struct Scale {
  double low, high;
  [[nodiscard]] std::size_t columns(double value) const {
    const double part = (std::log10(value) - low) / (high - low);
    return static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * static_cast<double>(bar_columns)));
  }
};

Scale scale_of(const std::vector<ViaRow>& rows) {
  double least = 1e300, most = 0;
  for (const ViaRow& row : rows)
    for (const auto& value : row.iterations)
      if (value) {
        least = std::min(least, *value);
        most = std::max(most, *value);
      }
  const double low = std::floor(std::log10(least));
  return {low, std::max(low + 1, std::ceil(std::log10(most)))};
}

std::string axis(const Scale& scale) {
  std::string line(20 + bar_columns + 8, ' ');
  const auto decades = static_cast<int>(std::lround(scale.high - scale.low));
  for (int i = 0; i <= decades; ++i) {
    const std::string label = fmt::format("{:.0f}", std::pow(10, scale.low + i));
    line.replace(19 + bar_columns * static_cast<std::size_t>(i) / static_cast<std::size_t>(decades), label.size(),
                 label);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string chart(const std::vector<ViaRow>& rows) {
  const Scale scale = scale_of(rows);
  std::string text = fmt::format("{:19}iterations a minute, logarithmic\n", "") + axis(scale);
  for (const ViaRow& row : rows)
    for (std::size_t i = 0; i < via_modes.size(); ++i) {
      if (!row.iterations[i]) continue;
      text += fmt::format("{:<14} {:<3} ", row.backend, via_modes[i] == Mode::cfb128 ? "CFB" : name(via_modes[i]));
      for (std::size_t column = 0; column < std::max<std::size_t>(scale.columns(*row.iterations[i]), 1); ++column)
        text += shades[static_cast<std::size_t>(row.kind)];
      text += ' ' + figure(row.iterations[i]) + '\n';
    }
  return text + "█ hardware   ▒ library, which chooses   ░ software\n";
}

}  // namespace

std::string to_via(const PerfReport& report) {
  const std::vector<ViaRow> rows = via_rows(report);
  std::string text =
      "AES-128 encryption in iterations a minute; an iteration is 1000 calculations of 16 KiB, as in VIA's AES "
      "benchmark.\n";
  if (rows.empty()) return text + "Nothing of it was timed: it takes AES-128 encryption in ECB, CBC, CFB128 or OFB.\n";
  text += fmt::format("{}\n{} ({}); window {}\n\n", via_scaling(report), report.host.cpu, report.host.system,
                      name(report.window));
  text += table(rows) + '\n' + chart(rows) + '\n';
  for (const ViaRow& row : rows)
    if (const std::string ratios = via_ratios(row); !ratios.empty())
      text += fmt::format("{:<14} {}\n", row.backend, ratios);
  text += wrapped("", via_why);
  for (const ViaRow& row : rows)
    if (row.modelled)
      text += wrapped("", fmt::format("{} is modelled by its maker's clocks alone, at {} GHz, where VIA's own table has 5876, "
                                      "2900, 2900 and 1480.",
                                      row.backend, via_clock_ghz));
  return text;
}

}  // namespace aesgate
