#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "perf/chains.h"
#include "perf/clock.h"

namespace aesgate {

/// Reading: what the probes say at one moment.
struct Reading {
  double first = 0, second = 0;  // clock units a core cycle, by each chain
  double width = 0;              // clock units an instruction of the width probe
};

/// Calibrated: what two readings, before and after a sample, say of the time between them.
struct Calibrated {
  double units_per_cycle = 0;
  double instructions_per_cycle = 0;  // by the width probe, the lower of the two readings
};

/// Calibration: core cycles by a clock that does not count them. Two chains of known latency must say the
/// same of the core's frequency, before and after: then it did not change between them, and neither chain
/// was held up.
class Calibration {
 public:
  static constexpr double tolerance = 0.003;

  /// `clock` outlives it.
  Calibration(Clock& clock, CalibrationProbes probes);

  [[nodiscard]] Reading read();

  /// Nothing where the four chains do not agree within the tolerance, or, if the clock counts core cycles
  /// itself, with that; the number is then exactly 1.
  [[nodiscard]] std::optional<Calibrated> between(const Reading& before, const Reading& after) const;

  [[nodiscard]] const CalibrationProbes& probes() const { return probes_; }

 private:
  [[nodiscard]] double time(const Probe& probe);

  Clock& clock_;
  CalibrationProbes probes_;
};

/// The instructions a cycle that the core takes when nothing shares it: the 99th percentile of `widths`, as
/// single values come out too high when their time does too low. 0 for none.
[[nodiscard]] double best_width(std::vector<double> widths);

/// Below this part of the best width, another thread had a share of the core: a busy one takes about half.
inline constexpr double shared_part = 0.9;

}  // namespace aesgate
