#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "perf/gate_launch.h"
#include "perf/gate_result.h"

namespace aesgate {

// What the gate makes of instructions. More of them are not slower as such, and fewer not faster: so they are shown,
// and are a verdict only where the user gave a threshold for them.

/// Calls of more bytes than this are counted at this many: their code in bulk is the same.
inline constexpr std::size_t bulk_bytes_to_count = 1024;

/// The workloads that are counted in place of `workloads`, one for each.
[[nodiscard]] std::vector<Workload> workloads_to_count(std::vector<Workload> workloads);

/// Counts `workloads` in a launch, for up to `seconds`. A launch that was lost makes each count's reason.
[[nodiscard]] Result<std::vector<CellCounts>> count_cells(LaunchRequest request, const std::vector<Workload>& workloads,
                                                          double seconds, const Launcher& launcher);

struct CountRules {
  std::optional<double> threshold;  // of instructions: more of them by this part is a regression
  double time_threshold = 0;        // GateOptions::threshold
};

/// Gives the cells of a result their counts, one for each cell, and changes verdicts in two cases:
/// - more instructions than `rules.threshold` allows: the cell, and the result unless it is wrong, is regressed;
/// - a cell that is open and whose median is not above the time threshold passes if its own call, of all its bytes,
///   is the same execution (CellCounts) on both sides: time then had nothing to find but the loader's luck. The result
///   passes with its last open cell, if the sentinels were found.
void apply_counts(GateResult& result, const std::vector<CellCounts>& counts, const CountRules& rules);

/// Without any time: regressed as above, pass for the others that were counted, and inconclusive for the rest.
[[nodiscard]] GateResult judge_counts(const std::vector<Workload>& workloads, const std::vector<CellCounts>& counts,
                                      double threshold);

/// "the same number in 80 of 88 cells; more in 6, up to +17.07%: …"; empty if no cell has counts.
[[nodiscard]] std::string counts_text(const GateResult& result);
/// Of a cell: "+17.07%", "same", "-".
[[nodiscard]] std::string counts_text(const GateCell& cell);

}  // namespace aesgate
