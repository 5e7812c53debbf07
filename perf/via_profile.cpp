#include "perf/via_profile.h"

#include <algorithm>

#include <fmt/format.h>

namespace aesgate {
namespace {

bool is_profiled(const PerfResult& result) {
  return result.timed() && result.shape.direction == Direction::encrypt && result.shape.key_size == KeySize::bits128 &&
         !result.in_place && result.offset == 0;
}

double per_minute(double seconds_per_byte) { return 60 / (seconds_per_byte * via_bytes_an_iteration); }

ViaRow& row_of(std::vector<ViaRow>& rows, const PerfResult& result, bool modelled) {
  const auto known = std::ranges::find_if(
      rows, [&](const ViaRow& row) { return row.backend == result.backend && row.modelled == modelled; });
  if (known != rows.end()) return *known;
  ViaRow& row = rows.emplace_back();
  row.backend = result.backend;
  row.kind = result.unit == "none"  ? ViaRow::Kind::software
             : result.unit == "any" ? ViaRow::Kind::library
                                    : ViaRow::Kind::hardware;
  row.modelled = modelled;
  return row;
}

/// The largest call of each backend and mode.
const PerfResult* largest(const PerfReport& report, const PerfResult& like) {
  const PerfResult* found = nullptr;
  for (const PerfResult& result : report.results)
    if (is_profiled(result) && result.backend == like.backend && result.shape == like.shape &&
        (found == nullptr || result.bytes > found->bytes))
      found = &result;
  return found;
}

}  // namespace

std::vector<ViaRow> via_rows(const PerfReport& report) {
  std::vector<ViaRow> rows;
  for (const PerfResult& result : report.results) {
    const auto mode = std::ranges::find(via_modes, result.shape.mode);
    if (!is_profiled(result) || mode == via_modes.end() || largest(report, result) != &result) continue;
    const auto column = static_cast<std::size_t>(mode - via_modes.begin());
    const double nanoseconds = result.elapsed ? result.elapsed->nanoseconds_per_byte : result.nanoseconds_per_byte;
    // An emulator's time is nobody's.
    const bool modelled = result.modelled_clocks_per_byte.has_value();
    if (modelled && *result.modelled_clocks_per_byte <= 0) continue;  // for which no clocks are published
    row_of(rows, result, modelled).iterations[column] =
        per_minute(modelled ? *result.modelled_clocks_per_byte / via_clock_ghz * 1e-9 : nanoseconds * 1e-9);
  }
  std::ranges::stable_sort(rows, {}, [](const ViaRow& row) { return row.kind; });
  return rows;
}

std::string via_scaling(const PerfReport& report) {
  std::size_t fewest = 0, bytes = 0;
  double shortest = 0;
  for (const PerfResult& result : report.results) {
    if (!is_profiled(result) || largest(report, result) != &result) continue;
    const std::size_t calls = result.samples_taken * result.calls_per_sample;
    if (fewest == 0 || calls < fewest) {
      fewest = calls;
      bytes = result.bytes;
      shortest = result.nanoseconds_per_byte * static_cast<double>(calls) * static_cast<double>(bytes) * 1e-9;
    }
  }
  return fmt::format(
      "A shorter run, scaled: the median of {} calculations of {} bytes or more ({:.3g} s), not of 100 x 1000.", fewest,
      bytes, shortest);
}

std::string_view name(ViaRow::Kind kind) {
  static constexpr std::array<std::string_view, 3> names{"software", "hardware", "library"};
  return names[static_cast<std::size_t>(kind)];
}

std::string via_ratios(const ViaRow& row) {
  if (!std::ranges::all_of(row.iterations, [](const auto& figure) { return figure.has_value(); })) return {};
  const double least = **std::ranges::min_element(row.iterations);
  const auto& [ecb, cbc, cfb, ofb] = row.iterations;
  return fmt::format("ECB : CBC : CFB : OFB = {:.1f} : {:.1f} : {:.1f} : {:.1f}, {}", *ecb / least, *cbc / least,
                     *cfb / least, *ofb / least, *ecb > 1.5 * *cbc ? "pipelined against serial" : "nothing pipelined");
}

}  // namespace aesgate
