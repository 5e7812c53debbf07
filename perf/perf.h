#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/result.h"
#include "core/shape.h"
#include "perf/clock.h"
#include "perf/perf_report.h"
#include "perf/sampler.h"
#include "report/record.h"

namespace aesgate {

/// Placing: how the buffers of timed calls lie.
struct Placing {
  bool in_place = false;   // the output is the input
  std::size_t offset = 0;  // at which they begin in their pages, 0 to Workload::max_offset
};

/// PerfOptions: what of the plan's backends and modes is timed, and how long.
struct PerfOptions {
  /// Bytes a call of update(); each applies to every mode. Empty: default_perf_sizes(mode).
  std::vector<std::size_t> sizes;
  std::vector<Direction> directions{all_directions.begin(), all_directions.end()};
  std::vector<KeySize> key_sizes{KeySize::bits128};
  std::vector<Placing> placings{{}};
  bool key_setup = true;           // time that, too
  double seconds_per_cell = 0.05;  // of sampling; warming up and judging come on top

  /// Each cell is timed in so many rounds over all cells, with a context and buffers of its own in each, since what a
  /// core has learnt before, and where memory lies, can make calls faster or slower for as long as a round lasts. At
  /// least 1.
  std::size_t rounds = least_samples_taken;

  static constexpr std::size_t max_bytes = std::size_t{1} << 24;
};

/// 16, 64, 256, 1024, 8192 and 16384 bytes, as far as they take 1024 block operations at the most: 16 to 1024 in CFB8;
/// 16, 64 and 128 in CFB1.
[[nodiscard]] std::vector<std::size_t> default_perf_sizes(Mode mode);

/// The best clock for the plan's backends, measured: one of elapsed time if one of them is available and may leave its
/// work to a kernel or a device.
[[nodiscard]] std::unique_ptr<Clock> perf_clock(const Plan& plan);

/// Called for each cell in each round, in which `done` goes from 1 to `total`.
using PerfProgress =
    std::function<void(std::size_t round, std::size_t done, std::size_t total, const std::string& cell)>;

/// How many cells of a plan can be timed here, and the seconds that the sampling of them takes.
struct PerfExtent {
  std::size_t cells = 0;
  double seconds = 0;
};
[[nodiscard]] Result<PerfExtent> perf_extent(const Plan& plan, const PerfOptions& options);

/// Times every cell: the plan's backends and modes × the options' directions, key sizes, placings and sizes, and a
/// key set-up for each backend and shape. The calling thread is pinned to one CPU meanwhile. Each cell judges one Case
/// before it is timed and one after, with the timed calls' shape, size and placement, and `record` gets the verdicts
/// under Suite::perf: a backend that is wrong has no speed. One that is isolated is judged in its own process first,
/// and then in this one, before and after it is timed here. An Error is bad input: a size that a mode does not take, or
/// an empty choice; or oracles that disagree.
[[nodiscard]] Result<PerfReport> run_perf(const Plan& plan, const PerfOptions& options, Record& record,
                                          const PerfProgress& progress = {});

}  // namespace aesgate
