#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/host.h"
#include "core/shape.h"
#include "core/status.h"
#include "perf/clock.h"
#include "perf/statistics.h"

namespace aesgate {

/// Window: could core cycles be told, and did this thread have the core as much to itself as at the best
/// moment of the run?
enum class Window { clean, contended, unknown };
/// "clean", "contended", "unknown".
[[nodiscard]] std::string_view name(Window window);

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
  std::size_t samples_used = 0;  // for core cycles: the calibration agreed, and no other thread shared the core

  /// From all samples, in the unit of the report's clock.
  Estimate units_per_byte;
  double nanoseconds_per_byte = 0;  // the median of the same, by the clock's rate

  /// From the samples used; nothing where they were too few, or too few of those taken.
  std::optional<Estimate> cycles_per_byte;

  /// The least that the backend's unit takes on this CPU (floors.h), where that is known.
  std::optional<double> floor_cycles_per_byte;

  /// The median of cycles_per_byte is below what is possible, and so nothing of this cell can be believed.
  bool below_floor = false;

  /// Where the backend's unit is emulated: the times above are the emulator's, and this is what the unit would spend
  /// by the clocks that its maker publishes. Modelled, not measured.
  std::optional<double> modelled_clocks_per_byte;

  /// Against the fastest of all cells of the same shape, size and placement: in core cycles if all of them have those,
  /// else in the clock's unit.
  double ratio_to_fastest = 1;

  [[nodiscard]] bool timed() const { return verdict == Verdict::agree && !below_floor; }
};

/// PerfReport: what a run measured and in what circumstances.
struct PerfReport {
  Host host;
  std::string build_warning;  // why figures of this build are no backend's real speed; empty if they are
  int cpu = 0;                // the one that the thread was pinned to, or -1
  ClockDescription clock;

  /// How core cycles are found, or why they are not.
  std::string cycles_source;
  std::string floors_source;               // what is known of this CPU's AES instructions, in words
  std::optional<double> core_ghz;          // the median over the samples used
  std::size_t samples_taken = 0;           // the sums over all cells timed
  std::size_t samples_agreed = 0;          // whose calibration agreed, and that kept the CPU
  std::size_t samples_used = 0;            // of those, not on a shared core
  double best_instructions_per_cycle = 0;  // by the width probe; 0 if there is none

  /// contended: some cells have no core cycles, or less than half of all samples could be used. What is
  /// then printed in the clock's unit cannot be compared with another run's. unknown: nothing can tell.
  Window window = Window::unknown;

  std::vector<PerfResult> results;

  [[nodiscard]] double agreement() const;  // samples_agreed / samples_taken; 0 of none

  [[nodiscard]] bool has_failure() const;      // a cell's backend was wrong
  [[nodiscard]] bool has_below_floor() const;  // a cell was measured wrongly
  [[nodiscard]] std::size_t timed() const;
};

/// 0: something was timed and nothing was wrong; 1: a backend was wrong; 3: nothing could be timed, or a figure is
/// below its floor.
[[nodiscard]] int exit_status(const PerfReport& report);

/// The report as text for a person, lines that end in "\n".
[[nodiscard]] std::string to_table(const PerfReport& report);

/// The same facts, after json_head() (report/json_head.h). Keys carry their unit; clock_units are what clock.unit says.
[[nodiscard]] nlohmann::ordered_json to_json(const PerfReport& report);

}  // namespace aesgate
