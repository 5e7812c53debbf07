#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/host.h"
#include "core/shape.h"
#include "core/status.h"
#include "perf/call_line.h"
#include "perf/clock.h"
#include "perf/statistics.h"
#include "perf/surroundings.h"

namespace aesgate {

/// Window: could core cycles be told, and did this thread have the core as much to itself as at the best
/// moment of the run?
enum class Window { clean, contended, unknown };
/// "clean", "contended", "unknown".
[[nodiscard]] std::string_view name(Window window);

/// RawSample: one run of calls, as it was measured.
struct RawSample {
  double units = 0;                       // of the clock, for all its calls, the clock's overhead taken off
  std::optional<double> units_per_cycle;  // if it was used for core cycles
  std::size_t round = 0;
};

/// Elapsed: calls by the wall clock, for who may not do its work on this thread.
struct Elapsed {
  double nanoseconds_per_byte = 0;
  double cpu_share = 0;  // the part of that time in which this thread had its CPU, user and system
};

/// PerfResult: one cell: a backend, a shape, a size of call.
struct PerfResult {
  std::string backend;
  std::string unit;  // that the backend claims (aesgate_backend.h)
  Shape shape;
  std::size_t bytes = 0;  // that one call of update() takes
  bool in_place = false;
  std::size_t offset = 0;  // at which its buffers began in their pages

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

  /// Of backends that may leave the work to something else than this thread: kernels, devices, libraries with engines.
  std::optional<Elapsed> elapsed;

  /// Against the fastest of all cells of the same shape, size and placement: in core cycles if all of them have those,
  /// else in the clock's unit.
  double ratio_to_fastest = 1;

  std::vector<RawSample> raw;  // in the order in which they were taken

  [[nodiscard]] bool timed() const { return verdict == Verdict::agree && !below_floor; }
};

/// KeySetup: what start() and the finish() that belongs to it take.
struct KeySetup {
  std::size_t samples_taken = 0, samples_used = 0;
  Estimate units;
  double nanoseconds = 0;
  std::optional<Estimate> cycles;
};

/// PerfSeries: the cells of one backend, shape and placement, over their sizes.
struct PerfSeries {
  std::string backend;
  std::string unit;
  Shape shape;
  bool in_place = false;
  std::size_t offset = 0;
  std::vector<std::size_t> cells;  // PerfReport::results by number, those that are timed, from small to large

  bool wrong = false;  // a cell's backend was, which has no speed then at any size

  /// Time of a call against its size, in the clock's unit and in core cycles. Nothing where it is wrong, or fewer than
  /// two sizes are timed, or have core cycles.
  std::optional<CallLine> units, cycles;

  std::optional<KeySetup> key_setup;  // the same for all placements of a backend and shape

  std::optional<double> floor_cycles_per_byte;  // where it holds for the slope
  bool below_floor = false;  // the slope is, and so is an error of the measurement: there are then no lines
  std::string reason;        // if it is

  /// Of the slope, as in PerfResult; 0 where there is no slope.
  double ratio_to_fastest = 0;
};

/// PerfReport: what a run measured and in what circumstances.
struct PerfReport {
  Host host;
  Surroundings surroundings;
  std::string build_warning;  // why figures of this build are no backend's real speed; empty if they are
  int cpu = 0;                // the one that the thread was pinned to, or -1
  std::uint64_t seed = 0;     // of keys, IVs and data
  ClockDescription clock;

  /// How core cycles are found, or why they are not.
  std::string cycles_source;
  std::string floors_source;               // what is known of this CPU's AES instructions, in words
  std::optional<double> core_ghz;          // the median over the samples used
  std::size_t samples_taken = 0;           // the sums over all cells timed but those with `elapsed`
  std::size_t samples_agreed = 0;          // whose calibration agreed, and that kept the CPU
  std::size_t samples_used = 0;            // of those, not on a shared core
  double best_instructions_per_cycle = 0;  // by the width probe; 0 if there is none

  /// contended: some cells have no core cycles, or less than half of all samples could be used. What is
  /// then printed in the clock's unit cannot be compared with another run's. unknown: nothing can tell.
  Window window = Window::unknown;

  std::vector<PerfResult> results;
  std::vector<PerfSeries> series;  // one for each backend, shape and placement in `results`

  [[nodiscard]] double agreement() const;  // samples_agreed / samples_taken; 0 of none

  [[nodiscard]] bool has_failure() const;      // a cell's backend was wrong
  [[nodiscard]] bool has_below_floor() const;  // a cell or a slope was measured wrongly
  [[nodiscard]] std::size_t timed() const;
};

/// 0: something was timed and nothing was wrong; 1: a backend was wrong; 3: nothing could be timed, or a figure is
/// below its floor.
[[nodiscard]] int exit_status(const PerfReport& report);

}  // namespace aesgate
