#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/status.h"
#include "perf/calibration.h"
#include "perf/clock.h"
#include "perf/perf_report.h"
#include "perf/update_loop.h"

namespace aesgate {

/// Sample: the time of one run of calls.
struct Sample {
  double units = 0;  // of the clock, for all its calls, the clock's overhead taken off

  /// Nothing if the calibration around it did not agree, or there is none, or the thread lost its CPU meanwhile.
  std::optional<Calibrated> calibrated;

  std::size_t round = 0;  // of a run that times each cell in several
};

/// Fewer say nothing about their spread.
inline constexpr std::size_t least_samples_taken = 11;

struct SamplerOptions {
  double seconds = 0.25;
  double seconds_per_sample = 30e-6;  // or one call, or 1000 steps of the clock, where that is longer
  std::size_t least_samples = 11;     // whatever time they take
  std::size_t calls_per_sample = 0;   // 0: chosen, so that they take seconds_per_sample
  double elapsed_seconds = 0;         // above 0: Sampling::elapsed is wanted, measured for so long
};

/// Sampling: what sample_calls() saw.
struct Sampling {
  /// `agree`, which here says only that every call came back with AESGATE_OK; else failed or crashed, and
  /// the samples are of no use.
  Verdict verdict = Verdict::agree;
  std::string reason;
  std::size_t calls_per_sample = 0;
  std::vector<Sample> samples;
  std::optional<Elapsed> elapsed;  // if it was asked for
};

/// Times what the workload says of an available backend and a shape that it supports: warmed up; each sample some calls
/// one after the other in one message, so that a serial mode waits for its chaining value from call to
/// call; new input before each sample; all from a stack that begins at the same place in its page. `calibration` may be
/// null. The thread is pinned by the caller.
[[nodiscard]] Sampling sample_calls(const aesgate_backend& backend, const Workload& workload, Clock& clock,
                                    Calibration* calibration, const SamplerOptions& options);

}  // namespace aesgate
