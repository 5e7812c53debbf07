#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/perf_report.h"

namespace aesgate {

// The profile of VIA's AES benchmark tool (2004): 100 iterations of 1000 calculations each, reported as iterations a
// minute. A calculation is taken for 16 KiB of AES-128: it follows from the clocks that its figures leave for ECB and
// CBC.

inline constexpr double via_bytes_an_iteration = 1000.0 * 16384;
inline constexpr std::array via_modes{Mode::ecb, Mode::cbc, Mode::cfb128, Mode::ofb};

/// ViaRow: a backend's iterations a minute, by via_modes.
struct ViaRow {
  /// By its claim: no unit, one of its own, or "any": what a library chooses.
  enum class Kind { software, hardware, library };
  std::string backend;
  Kind kind = Kind::software;
  bool modelled = false;  // at via_clock_ghz by published clocks; not measured
  std::array<std::optional<double>, via_modes.size()> iterations;
};

/// The processor of VIA's own table, "C5P".
inline constexpr double via_clock_ghz = 1.2;

/// Software first. A row has the cells of AES-128 encryption, aligned and not in place, of the largest size; a backend
/// without any has none.
[[nodiscard]] std::vector<ViaRow> via_rows(const PerfReport& report);

/// How the runs were: "each figure is scaled from …".
[[nodiscard]] std::string via_scaling(const PerfReport& report);

[[nodiscard]] std::string_view name(ViaRow::Kind kind);

/// "ECB : CBC : CFB : OFB = 8.0 : 1.0 : 1.0 : 1.0, pipelined against serial", of a row with all modes; else empty.
[[nodiscard]] std::string via_ratios(const ViaRow& row);
/// What the two words mean.
inline constexpr std::string_view via_why =
    "pipelined: ECB has the next block begin while this one is at work; serial: in CBC, CFB and OFB each block waits "
    "for "
    "the one before. Where ECB takes as long as they, nothing is pipelined.";

}  // namespace aesgate
