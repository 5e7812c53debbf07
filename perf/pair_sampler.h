#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/status.h"
#include "perf/calibration.h"
#include "perf/clock.h"
#include "perf/update_loop.h"

namespace aesgate {

/// Pair: the same calls of a baseline and of a candidate, one right after the other, in clock units.
struct Pair {
  double baseline = 0, candidate = 0;
  bool kept_its_cpu = false;  // no other thread had it meanwhile

  /// As of a Sample: from the readings before and after both.
  std::optional<Calibrated> calibrated;
};

struct PairOptions {
  std::size_t pairs = 60;
  double seconds_per_sample = 30e-6;  // or one call, where that is longer
  double most_seconds = 0.015;        // for all pairs: slow calls get fewer, but never less than least_pairs
  std::uint64_t seed = 1;             // of the order within each pair

  /// This part is added to the candidate's time, by a spin behind its calls: 0.02 makes it 2% slower.
  double planted = 0;
};

/// Fewer have no median that means something.
inline constexpr std::size_t least_pairs = 15;

/// Pairing: what sample_pairs() saw.
struct Pairing {
  /// `agree`, which here says only that every call came back with AESGATE_OK; else failed or crashed, with a reason
  /// that says whether it was the baseline or the candidate.
  Verdict verdict = Verdict::agree;
  std::string reason;
  std::size_t calls_per_sample = 0;
  std::vector<Pair> pairs;
};

/// Times update() of two available backends that support the workload's shape, on the same buffers, in pairs whose
/// order is drawn: half of them one way round. New input before each pair. `calibration` may be null. The thread is
/// pinned by the caller.
[[nodiscard]] Pairing sample_pairs(const aesgate_backend& baseline, const aesgate_backend& candidate,
                                   const Workload& workload, Clock& clock, Calibration* calibration,
                                   const PairOptions& options);

/// PairSummary: what the pairs of one workload in one process come to.
struct PairSummary {
  std::size_t taken = 0, calibrated = 0, used = 0;

  /// The median over the pairs used of candidate / baseline - 1; nothing where fewer than least_pairs could be.
  std::optional<double> change;

  double baseline_units = 0;              // a call, the median over the pairs used
  std::optional<double> baseline_cycles;  // the same in core cycles, if those used are calibrated
};

/// Uses the pairs whose calibration agreed, if they are half or more; else all that kept their CPU: what slows one of a
/// pair then slows the other one, mostly.
[[nodiscard]] PairSummary summarise(const Pairing& pairing);

}  // namespace aesgate
