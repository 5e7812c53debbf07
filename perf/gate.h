#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "perf/gate_launch.h"
#include "perf/gate_result.h"

namespace aesgate {

/// GateOptions: how much slower is too slow, and how hard it is looked for.
struct GateOptions {
  double threshold = 0.0075;
  std::uint64_t seed = 1;
  double seconds = 50;  // for all launches: none begins that would end later, by the longest so far

  std::size_t pairs = 60;  // of a cell in a launch, if its calls are not slow
  std::size_t screening_launches = 6;
  /// In each of up to four rounds, for what the one before left open. Fewer could not show that all cells of a large
  /// matrix are slower: 2^-14 is the least chance that a sign test of 14 can give.
  std::size_t confirming_launches = 14;

  /// The chance of a false alarm in all cells together, if every cell were exactly at the threshold.
  double alpha = 0.05;

  /// What is surely not there may pass: a cell that is slower by this much is found, and the sentinel is.
  [[nodiscard]] double resolution() const { return threshold + 0.0125; }

  /// For the self-test: this part is added to the candidate's time in one cell.
  struct Planted {
    std::size_t cell = 0;
    double part = 0;
  };
  std::optional<Planted> planted;

  static constexpr double least_threshold = 0.0025, most_threshold = 1;
};

/// Called before each launch: "screening", "confirming 3 cells".
using GateProgress = std::function<void(const std::string& what, std::size_t launch, std::size_t of)>;

/// Compares two backends in all workloads, at least one, which both support and get right. `request` says which
/// backends; its cells, seed and number of pairs are made here. First some launches of all cells; a cell that looks
/// slower, or whose changes lie too far apart, is suspect, and judged by new launches alone, so that it does not
/// matter how many cells there were to pick from. Regressed: more launches are above the threshold than chance gives,
/// by a sign test, with Holm's correction for the suspects and a quarter of alpha in each of four rounds. Pass: the
/// median is not above the threshold, and surely (97.5%) below the resolution. An Error is the launcher's.
[[nodiscard]] Result<GateResult> compare_backends(const LaunchRequest& request, const std::vector<Workload>& workloads,
                                                  const GateOptions& options, const Launcher& launcher,
                                                  const GateProgress& progress = {});

}  // namespace aesgate
