#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/host.h"
#include "core/result.h"
#include "perf/gate.h"
#include "perf/gate_statistics.h"

namespace aesgate {

/// SelfTestRow: whole runs of the gate in which the candidate is the baseline, with the same slow-down planted in one
/// cell of each, which is drawn; or with none.
struct SelfTestRow {
  double planted = 0;
  bool redrawn = false;  // its launches are recorded ones, drawn again
  std::size_t runs = 0;
  std::size_t alarms = 0;                 // runs in which a cell without a slow-down was called regressed
  std::size_t found = 0;                  // runs in which the planted cell was called regressed
  std::array<std::size_t, 5> verdicts{};  // runs, by GateVerdict
  std::size_t pairs_taken = 0, pairs_calibrated = 0;

  /// Of the alarms where nothing is planted, else of what was found.
  [[nodiscard]] Proportion rate() const;
};

/// SelfTest: how often the gate raises a false alarm, and how often it finds what is there.
struct SelfTest {
  Host host;
  std::string file, backend;
  std::size_t cells = 0;
  double threshold = 0;
  std::uint64_t seed = 1;
  std::string surroundings;  // what else ran, in words
  std::vector<SelfTestRow> rows;
  std::size_t recorded = 0;  // launches that the redrawn runs are of
  double seconds = 0;

  /// Of the rows that are real, or redrawn.
  [[nodiscard]] std::size_t runs(bool redrawn) const;
};

inline constexpr std::array<double, 3> self_test_planted{0, 0.01, 0.02};

struct SelfTestRuns {
  std::size_t real = 1;
  std::size_t redrawn = 0;
};

/// Real runs of each kind, in turn, so that what the machine does meanwhile is the same for all. Then runs whose
/// launches are those of the real ones drawn again: consecutive ones from a beginning that is drawn, so that a noisy
/// minute stays one; what is planted is multiplied in. An Error is the launcher's, or says that the backend is wrong.
[[nodiscard]] Result<SelfTest> test_gate(const LaunchRequest& request, const std::vector<Workload>& workloads,
                                         const GateOptions& options, const Launcher& launcher, SelfTestRuns runs,
                                         const std::function<void(const SelfTest& so_far)>& progress = {});

/// The table, lines that end in "\n".
[[nodiscard]] std::string to_table(const SelfTest& test);
[[nodiscard]] nlohmann::ordered_json to_json(const SelfTest& test);

}  // namespace aesgate
