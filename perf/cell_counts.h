#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "perf/instruction_count.h"
#include "perf/update_loop.h"

namespace aesgate {

/// CellCounts: what a call of baseline and candidate executes. Exact: no clock has a part in it.
struct CellCounts {
  std::size_t bytes = 0;  // of the call: the cell's, or fewer where those would take too long
  std::string reason;     // not empty: it was not counted, and why

  std::size_t baseline = 0, candidate = 0;          // instructions
  std::size_t baseline_aes = 0, candidate_aes = 0;  // of those, AES proper

  /// One after the other the instructions are the same ones, each at the same place in its page, and touch memory at
  /// the same places in its pages: what is left to differ is where the loader and the heap put pages.
  bool same_execution = false;

  [[nodiscard]] bool counted() const { return reason.empty() && baseline != 0; }
  /// candidate / baseline - 1, of a cell that was counted.
  [[nodiscard]] double change() const { return static_cast<double>(candidate) / static_cast<double>(baseline) - 1; }
};

/// Counts a call of each: once if both execute the same, else twice, as count_instructions() does. The backends are
/// callable in this process, available, and support the shape.
[[nodiscard]] CellCounts count_pair(const aesgate_backend& baseline, const aesgate_backend& candidate,
                                    const Workload& workload, CountOptions options);

/// Of all `workloads`, the short ones first, until `seconds` are over; what comes then has that as its reason. What
/// would take more than a quarter of what `options` allows, by what shorter calls of its shape took, is counted in a
/// shorter call (CellCounts::bytes).
[[nodiscard]] std::vector<CellCounts> count_pairs(const aesgate_backend& baseline, const aesgate_backend& candidate,
                                                  const std::vector<Workload>& workloads, const CountOptions& options,
                                                  double seconds);

/// CellCounts::same_execution of two traces (CountedCall::trace) of this process.
[[nodiscard]] bool same_execution(std::span<const std::uint64_t> one, std::span<const std::uint64_t> other);

}  // namespace aesgate
