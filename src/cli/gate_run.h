#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/gate_task.h"
#include "core/result.h"
#include "perf/gate_process.h"
#include "perf/gate_report.h"
#include "perf/gate_trials.h"
#include "report/progress.h"

namespace aesgate {

/// GateRun: a run of the gate, from the plugins to the report.
class GateRun {
 public:
  /// `cases`: the folder of .case files.
  GateRun(GateTask task, std::string cases);

  Result<void> run();
  Result<SelfTest> run_self_test();

  [[nodiscard]] const GateReport& report() const { return report_; }

  /// The blocks of what was wrong, each with what replays it.
  [[nodiscard]] const std::string& failures() const { return failures_; }

 private:
  class Watched;

  Result<GateResult> run_pair(const GatePair& pair);
  Result<GateResult> compare(const GatePair& pair, const std::vector<Workload>& workloads);
  Result<GateResult> count_alone(const GatePair& pair, const std::vector<Workload>& workloads);
  Result<void> count_open_cells(const GatePair& pair, const GateResult& result, std::vector<CellCounts>& counts);
  /// The workloads that both support; an Error says why there is nothing to compare, or that something was lost.
  [[nodiscard]] Result<std::vector<Workload>> comparable(const GatePair& pair) const;
  [[nodiscard]] std::vector<std::string> notes_of(const GatePair& pair) const;
  /// Is it right in all workloads? Each backend before its plugin's code runs anywhere else.
  Result<bool> judge_side(const GateSide& side, const aesgate_backend& backend, const std::string& spec,
                          const std::vector<Workload>& workloads);
  [[nodiscard]] LaunchRequest request_of(const GatePair& pair) const;
  Result<Launched> launch(const LaunchRequest& request) const;

  GateTask task_;
  const std::string cases_;
  const Launcher launcher_ = [this](const LaunchRequest& request) { return launch(request); };
  Progress* progress_ = nullptr;
  std::string failures_;
  GateReport report_;
};

}  // namespace aesgate
