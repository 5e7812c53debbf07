#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/gate_sides.h"
#include "cli/options.h"
#include "core/result.h"
#include "perf/gate.h"
#include "perf/gate_trials.h"

namespace aesgate {

/// What aesgate gate is asked on the command line, as the user wrote it.
struct GateCommandOptions {
  std::string baseline, candidate, candidate_backend, threshold, instructions_threshold, seconds, self_test, redraw;
  std::vector<std::string> backends, modes, key_bits, sizes;
  Setting seed, cases;
  bool count_only = false, keep_busy = false;
  std::string json, junit, markdown;
};

/// GateTask: the same, understood.
struct GateTask {
  GateSide baseline, candidate;
  std::vector<GatePair> pairs;
  std::vector<Workload> workloads;
  GateOptions gate;
  std::optional<double> instructions_threshold;
  bool count_only = false;  // nothing is timed
  bool is_self_test = false;
  SelfTestRuns self_test;
  bool keep_busy = false;  // the other CPUs, during a self-test
};

/// Of instructions, where nothing else was asked for and they alone decide.
inline constexpr double default_instructions_threshold = 0.01;

/// The numbers of a run: thresholds, time, seed.
struct GateNumbers {
  GateOptions gate;
  std::optional<double> instructions_threshold;
};
[[nodiscard]] Result<GateNumbers> parse_gate_numbers(const GateCommandOptions& options);

/// An Error unless each report can be written, to a file of its own.
[[nodiscard]] Result<void> check_gate_files(const GateCommandOptions& options);

/// Loads the plugins. An Error is one line for the user.
[[nodiscard]] Result<GateTask> understand(const GateCommandOptions& options);

}  // namespace aesgate
