#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/result.h"

namespace aesgate {

/// ClockDescription: what a report says about the clock that its figures come from.
struct ClockDescription {
  std::string name;                 // "time-stamp counter, read by LFENCE; RDTSC; LFENCE … RDTSCP; LFENCE"
  std::string unit;                 // "core cycle", "tick" or "ns"; only the first is one of the core's cycles
  bool counts_core_cycles = false;  // unit is "core cycle"
  std::string why_not_better;       // why the better sources are not used; empty for the best

  double nanoseconds_per_unit = 0;  // against CLOCK_MONOTONIC; if the unit is a core cycle, on average at the start
  double step = 0;                  // at most this: the smallest difference seen between two readings, in units
  double overhead = 0;              // what stop() - start() gives around nothing, on average, in units
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

  [[nodiscard]] const ClockDescription& description() const { return description_; }

  /// Measures rate, step and overhead, some 50 ms long, for the calling thread, which is pinned to one CPU.
  void measure(std::string why_not_better);

 protected:
  ClockDescription description_;
};

/// The best source that this machine has, measured: the first of those below that works.
[[nodiscard]] std::unique_ptr<Clock> best_clock();

/// The best of those that count elapsed time, whether the thread runs or waits: never core cycles, and the reason is
/// `why_not_cycles`.
[[nodiscard]] std::unique_ptr<Clock> best_elapsed_clock(const std::string& why_not_cycles);

/// Core cycles of the calling thread outside of the kernel, from perf_event_open, read by RDPMC without a system
/// call. An Error says what the kernel does not give.
[[nodiscard]] Result<std::unique_ptr<Clock>> core_cycle_clock();

/// The architecture's counter that runs at one rate: x86-64's time-stamp counter, where it is invariant;
/// Arm's CNTVCT_EL0; RISC-V's time. An Error says why there is none.
[[nodiscard]] Result<std::unique_ptr<Clock>> counter_clock();

/// CLOCK_MONOTONIC, measured, in nanoseconds: what every machine has.
[[nodiscard]] std::unique_ptr<Clock> monotonic_clock();

/// stop() - start() around nothing, in the clock's units: the mean of the middle half of many, as the
/// median of a clock with a coarse step is one of two neighbouring steps.
[[nodiscard]] double measure_overhead(Clock& clock);

}  // namespace aesgate
