#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/host.h"
#include "core/shape.h"
#include "core/status.h"
#include "perf/clock.h"
#include "perf/statistics.h"

namespace aesgate {

/// PerfResult: one cell: a backend, a shape, a size of call.
struct PerfResult {
  std::string backend;
  Shape shape;
  std::size_t bytes = 0;  // that one call of update() takes
  bool in_place = false;

  /// `agree`: its output was judged right before and after, and the figures below hold. Anything else:
  /// it has no speed, and `reason` says why.
  Verdict verdict = Verdict::declined;
  std::string reason;

  std::size_t calls_per_sample = 0;
  std::size_t samples_taken = 0;
  std::size_t samples_used = 0;  // those whose calibration agreed; the others' core cycles are not known

  /// From all samples, in the unit of the report's clock.
  Estimate units_per_byte;
  double nanoseconds_per_byte = 0;  // the median of the same, by the clock's rate

  /// From the samples used; nothing where too few of them agreed.
  std::optional<Estimate> cycles_per_byte;

  /// units_per_byte over the smallest of all cells of the same shape, size and placement.
  double ratio_to_fastest = 1;

  [[nodiscard]] bool timed() const { return verdict == Verdict::agree; }
};

/// PerfReport: what a run measured and in what circumstances.
struct PerfReport {
  Host host;
  int cpu = 0;  // the one that the thread was pinned to
  ClockDescription clock;

  /// How core cycles were found, or why there are none.
  std::string cycles_source;
  std::optional<double> core_ghz;  // the median over all samples whose calibration agreed
  std::size_t samples_taken = 0;
  std::size_t samples_used = 0;
  [[nodiscard]] double agreement() const;

  /// Something shared the core, or its frequency moved: some cells have no core cycles, and the window's
  /// figures in clock units cannot be compared with another run's.
  bool contended = false;

  std::vector<PerfResult> results;

  [[nodiscard]] bool has_failure() const;  // a cell's backend was wrong
  [[nodiscard]] std::size_t timed() const;
};

/// 0: something was timed and nothing was wrong; 1: a backend was wrong; 3: nothing could be timed.
[[nodiscard]] int exit_status(const PerfReport& report);

/// The report as text for a person, lines that end in "\n".
[[nodiscard]] std::string to_table(const PerfReport& report);

/// The same facts; keys carry their unit.
[[nodiscard]] nlohmann::json to_json(const PerfReport& report);

}  // namespace aesgate
