#pragma once

#include <span>
#include <string>
#include <vector>

#include "perf/calibration.h"
#include "perf/perf_report.h"
#include "perf/sampler.h"

namespace aesgate {

/// MeasuredCell: a cell's samples, not looked at yet.
struct MeasuredCell {
  PerfResult result;  // all but the figures
  std::vector<Sample> samples;
  Timed timed = Timed::update;  // key_setup: the samples are of key set-ups, and `result` says whose
};

/// Core cycles are published for a cell with at least this many usable samples, and this part of all taken.
/// With fewer the window was another one than what is published would make one think.
inline constexpr std::size_t least_samples_used = 11;
inline constexpr double least_part_used = 0.25;

/// Makes figures of samples and puts cells and totals into the report, whose head is already there. At
/// the end of a run, since only then is it known how wide the core is when nothing shares it.
/// `was_calibrated`: were there probes around the samples?
void evaluate(PerfReport& report, std::span<MeasuredCell> cells, bool was_calibrated);

/// PerfReport::cycles_source; `probes` may be null.
[[nodiscard]] std::string cycles_source(const ClockDescription& clock, const CalibrationProbes* probes);

}  // namespace aesgate
