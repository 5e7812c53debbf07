#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/status.h"
#include "perf/cell_counts.h"
#include "perf/pair_sampler.h"
#include "perf/update_loop.h"

namespace aesgate {

// A launch: a process that loads the two plugins, measures pairs, and ends. The same two files may differ by a percent
// from launch to launch, by where they come to lie, and not at all within one: so it takes several launches to say
// something, and they are what the gate's statistics count.

/// LaunchCell: pairs of one workload.
struct LaunchCell {
  Workload workload;

  /// What the baseline is compared with.
  enum class With { candidate, own_copy } with = With::candidate;
  double planted = 0;  // PairOptions::planted
};

struct LaunchRequest {
  std::string baseline, candidate;                  // the files of the plugins
  std::string baseline_backend, candidate_backend;  // "NAME" or "NAME:OPTIONS"
  std::uint64_t seed = 1;                           // of all orders: of loading, of the cells, within pairs
  std::size_t pairs = 60;
  double seconds_a_cell = 0.015;
  std::vector<LaunchCell> cells;

  /// What is done with them.
  enum class Task {
    pairs,   // measured, one side after the other
    counts,  // nothing is measured, and the instructions of each side are counted
    report   // the candidate alone is measured, as `aesgate perf` does
  } task = Task::pairs;
  double count_seconds = 0;  // for all counts
  std::size_t most_instructions = CountOptions{}.most_instructions;
};

struct LaunchedCell {
  /// `agree`: all calls came back, and after the pairs both gave the same output for the same Case. Else `reason` says
  /// what went wrong in which of the two.
  Verdict verdict = Verdict::agree;
  std::string reason;
  PairSummary summary;
  CellCounts counts;  // if they were asked for
};

/// Launched: what a launch saw, in the order of its request's cells.
struct Launched {
  /// Not empty: the process did not live to say more, and this is how it ended.
  std::string lost;
  std::vector<LaunchedCell> cells;
  std::string report;       // of Task::report, and there are no cells: to_json(PerfReport), with those asked for
  std::string clock, unit;  // ClockDescription
  double nanoseconds_per_unit = 0;
  bool pinned = false;
};

/// Launches; in tests, makes up what a launch saw. An Error is not about the backends.
using Launcher = std::function<Result<Launched>(const LaunchRequest& request)>;

/// Loads the plugins and measures, in this process.
[[nodiscard]] Result<Launched> launch_here(const LaunchRequest& request);

// What the process that asks and the one that measures say to each other: JSON. An Error is a text that is no such
// message.
[[nodiscard]] std::string to_text(const LaunchRequest& request);
[[nodiscard]] std::string to_text(const Launched& launched);
[[nodiscard]] Result<LaunchRequest> read_request(std::string_view text);
[[nodiscard]] Result<Launched> read_launched(std::string_view text);

}  // namespace aesgate
