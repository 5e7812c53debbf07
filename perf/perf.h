#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/plan.h"
#include "core/result.h"
#include "core/shape.h"
#include "perf/perf_report.h"
#include "report/record.h"

namespace aesgate {

/// PerfOptions: what of the plan's backends and modes is timed, and how long.
struct PerfOptions {
  /// Bytes a call of update(); each applies to every mode. Empty: default_perf_bytes(mode).
  std::vector<std::size_t> sizes;
  std::vector<Direction> directions{all_directions.begin(), all_directions.end()};
  std::vector<KeySize> key_sizes{KeySize::bits128};
  bool in_place = false;
  double seconds_per_cell = 0.25;  // of sampling; warming up and judging come on top

  static constexpr std::size_t max_bytes = std::size_t{1} << 24;
};

/// 16384 bytes; 1024 in CFB8 and 128 in CFB1, so that each takes 1024 block operations.
[[nodiscard]] std::size_t default_perf_bytes(Mode mode);

/// Called after each cell.
using PerfProgress = std::function<void(std::size_t done, std::size_t total, const PerfResult& result)>;

/// Times every cell: the plan's backends and modes × the options' directions, key sizes and sizes. The
/// calling thread is pinned to one CPU meanwhile. Each cell judges one Case before and one after, with
/// the timed calls' shape, size and placement, and `record` gets the verdicts under Suite::perf: a
/// backend that is wrong has no speed. An Error is bad input: a size that a mode does not take, or an
/// empty choice; or oracles that disagree.
[[nodiscard]] Result<PerfReport> run_perf(const Plan& plan, const PerfOptions& options, Record& record,
                                          const PerfProgress& progress = {});

}  // namespace aesgate
