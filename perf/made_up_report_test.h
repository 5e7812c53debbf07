#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perf/evaluate.h"

namespace aesgate {

/// MadeUp: a backend and shape whose calls take call + per_byte × bytes core cycles, and key set-ups `key_setup`.
struct MadeUp {
  std::string backend = "quick";
  std::string unit = "aes.xmm";
  Shape shape{Mode::cbc, Direction::encrypt, KeySize::bits128};
  double call = 20, per_byte = 2.5, key_setup = 150;
};

/// What a run would have measured of them with a clock of 2 GHz on a core of 4 GHz: 21 samples a cell, which scatter by
/// a part of 1000 both ways; all of them are used.
inline PerfReport made_up_report(const std::vector<MadeUp>& all,
                                 const std::vector<std::size_t>& sizes = {16, 64, 256, 1024, 8192, 16384}) {
  PerfReport report;
  report.host = {"A CPU", "x86_64", "Linux 6.1.0", "clang 14.0.6", 2, "aes", ""};
  report.clock.name = "a made-up counter";
  report.clock.unit = "tick";
  report.clock.nanoseconds_per_unit = 0.5;
  report.clock.step = 20;
  report.clock.overhead = 22;
  report.cycles_source = "made up";
  report.floors_source = "made up";
  report.seed = 0x251C1250;
  std::vector<MeasuredCell> cells;
  const auto add = [&](const MadeUp& made, std::size_t bytes, double cycles, Timed timed) {
    MeasuredCell& cell = cells.emplace_back();
    cell.timed = timed;
    cell.result.backend = made.backend;
    cell.result.unit = made.unit;
    cell.result.shape = made.shape;
    cell.result.bytes = bytes;
    cell.result.verdict = Verdict::agree;
    cell.result.calls_per_sample = 10;
    // Median and lower quartile are what was asked for.
    for (int i = -10; i <= 10; ++i) {
      const int off = i > -7 && i < 3 ? 0 : i;
      cell.samples.push_back({cycles * 10 / 2 * (1 + 0.0001 * off), Calibrated{0.5, 8}});
    }
  };
  for (const MadeUp& made : all) {
    add(made, 16, made.key_setup, Timed::key_setup);
    for (const std::size_t bytes : sizes)
      add(made, bytes, made.call + made.per_byte * static_cast<double>(bytes), Timed::update);
  }
  evaluate(report, cells, true);
  return report;
}

}  // namespace aesgate
