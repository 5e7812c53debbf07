#include <set>

#include <fmt/format.h>

#include "perf/perf_formats.h"

namespace aesgate {
namespace {

std::string name_of(const PerfResult& result) {
  return fmt::format("{} ({}, {} bytes{})", result.backend, name(result.shape), result.bytes,
                     result.in_place ? ", in place" : "");
}

std::string speed_line(const PerfReport& report, const PerfResult& result) {
  std::string text = fmt::format("Speed of {}:", name_of(result));
  if (!report.clock.counts_core_cycles)
    text += report.clock.unit == "tick" ? fmt::format(" {:.4f} [Clock ticks]/[Byte],", result.units_per_byte.median)
                                        : fmt::format(" {:.4f} [Nanoseconds]/[Byte],", result.nanoseconds_per_byte);
  return text + (result.cycles_per_byte
                     ? fmt::format(" {:.4f} [Core cycles]/[Byte]\n", result.cycles_per_byte->median)
                     : std::string(" core cycles unknown: the window was ") + std::string(name(report.window)) + "\n");
}

}  // namespace

std::string to_cycles(const PerfReport& report) {
  std::string text = fmt::format("[x] PRNG initialized by the seed: 0x{:08X}\n", report.seed);
  text += report.cpu >= 0 ? fmt::format("[x] pinned to CPU {}; ", report.cpu) : std::string("[x] not pinned; ");
  text += to_text(report.surroundings) + '\n';
  text += fmt::format("Timing overhead: {:.0f} {}\n", report.clock.overhead,
                      report.clock.unit == "ns" ? "ns" : report.clock.unit + "s");
  if (report.core_ghz)
    text += fmt::format("Core at {:.3f} GHz: a {} is {:.3f} core cycles\n", *report.core_ghz, report.clock.unit,
                        report.clock.nanoseconds_per_unit * *report.core_ghz);
  std::set<std::string> said;
  for (const PerfResult& result : report.results) {
    if (!result.timed()) {
      text += fmt::format("{} {}: {}\n", name_of(result),
                          is_failure(result.verdict) ? "does NOT work correctly" : "was not timed", result.reason);
      continue;
    }
    const std::string who = fmt::format("{} {}", result.backend, name(result.shape));
    if (said.insert(who).second) text += who + " works correctly\n";
    text += speed_line(report, result);
  }
  return text;
}

}  // namespace aesgate
