#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/host.h"
#include "perf/cell_counts.h"
#include "perf/update_loop.h"

namespace aesgate {

/// What the gate says of a cell, of a backend, and in all. Only the first lets a change through.
enum class GateVerdict {
  pass,
  regressed,     // slower by more than the threshold
  inconclusive,  // neither could be shown: the reason says what to do
  invalid,       // nothing could be measured, or a sentinel shows that what was measured is worth nothing
  wrong          // an output is wrong, or a backend crashed: it has no speed
};
/// "PASS", "REGRESSED", "INCONCLUSIVE", "INVALID", "WRONG".
[[nodiscard]] std::string_view name(GateVerdict verdict);
/// 0; 1 for regressed and wrong; 3 for what is inconclusive or invalid.
[[nodiscard]] int exit_status(GateVerdict verdict);

/// GateCell: the calls of one workload, and by how much the candidate's take longer than the baseline's.
struct GateCell {
  Workload workload;
  GateVerdict verdict = GateVerdict::invalid;
  std::string reason;  // empty for a pass

  /// The median over the launches that the verdict rests on of candidate / baseline - 1, and its 95% interval from
  /// order statistics, which with few launches is all of them. Nothing without a launch.
  struct Change {
    double median = 0, low = 0, high = 0;
  };
  std::optional<Change> change;
  bool faster = false;     // by more than the threshold, as sure as one launch's side of it can make it
  bool confirmed = false;  // it rests on launches that were made since the first ones made it suspect

  double nanoseconds_a_call = 0;        // of the baseline, the median over its launches
  std::optional<double> cycles_a_call;  // the same in core cycles, if all of them were calibrated

  /// The change in each launch that had pairs enough: of all cells first, and then of the suspect ones.
  std::vector<double> screened, confirming;

  std::optional<CellCounts> counts;  // if instructions were counted
};

/// GateResult: one backend.
struct GateResult {
  std::string baseline, candidate;  // the backends' names
  GateVerdict verdict = GateVerdict::invalid;
  std::string reason;  // what it comes to, in words; not empty
  std::vector<GateCell> cells;
  std::vector<std::string> notes;  // what could not be compared, though it was asked for

  // The sentinels are measured in every launch and judged as the cells are: the baseline against its own copy, which
  // may not be slower or faster; and the same with a slow-down planted, which has to be found.
  bool sentinels = true;  // false: a saved baseline has none
  double planted = 0;
  GateCell own_copy, with_planted;

  std::size_t launches = 0, pairs_taken = 0, pairs_calibrated = 0, pairs_used = 0;
  double seconds = 0;
  std::string clock;
  double count_seconds = 0;  // that counting took

  [[nodiscard]] std::size_t count(GateVerdict verdict) const;
  /// Less than half of the pairs could be calibrated.
  [[nodiscard]] bool contended() const { return pairs_calibrated * 2 < pairs_taken; }
};

/// GateReport: a run.
struct GateReport {
  Host host;
  std::string baseline_file, candidate_file;
  bool timed = true;     // else instructions were counted alone
  double threshold = 0;  // of time
  std::optional<double> instructions_threshold;
  std::uint64_t seed = 1;
  std::vector<GateResult> results;
  double seconds = 0;

  /// The worst: wrong, regressed, invalid, inconclusive, pass, in that order; invalid if there is no result.
  [[nodiscard]] GateVerdict verdict() const;
};

}  // namespace aesgate
