#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace aesgate {

/// ClockDescription: what a report says about the clock that its figures come from.
struct ClockDescription {
  std::string name;                 // "time-stamp counter (LFENCE; RDTSC … RDTSCP; LFENCE)"
  std::string unit;                 // "core cycle", "tick" or "ns"; only the first is one of the core's cycles
  bool counts_core_cycles = false;  // unit is "core cycle"
  std::string why_not_better;       // why the better sources are not used; empty for the best

  double nanoseconds_per_unit = 0;  // measured against CLOCK_MONOTONIC; varies if the unit is a core cycle
  double step = 0;                  // the smallest difference ever seen between two readings, in units
  double overhead = 0;              // the median of stop() - start() around nothing, in units
};

/// Clock: a counter that never runs backwards on one CPU. Injected, so that what is built on it can be
/// tested against a clock that lies.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Reads the counter before a timed region: all that came before is done, and nothing of the region
  /// has begun.
  [[nodiscard]] virtual std::uint64_t start() = 0;

  /// Reads it after a timed region: all of the region is done, and nothing later has begun.
  [[nodiscard]] virtual std::uint64_t stop() = 0;

  [[nodiscard]] virtual const ClockDescription& description() const = 0;
};

/// The best source that this machine has, measured: core cycles from perf_event by RDPMC; the
/// architecture's invariant counter (x86-64 time-stamp counter, Arm's CNTVCT_EL0, RISC-V's time); else
/// CLOCK_MONOTONIC. For one thread, pinned to one CPU before.
[[nodiscard]] std::unique_ptr<Clock> best_clock();

/// CLOCK_MONOTONIC in nanoseconds: what every machine has.
[[nodiscard]] std::unique_ptr<Clock> monotonic_clock();

}  // namespace aesgate
