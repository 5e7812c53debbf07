#pragma once

#include <string>

#include "cli/gate_task.h"
#include "core/result.h"
#include "perf/gate_result.h"

namespace aesgate {

/// Is the file of --baseline a report of `aesgate perf --json`, to judge by its name or its first character, and so no
/// plugin?
[[nodiscard]] bool is_saved_baseline(const std::string& file);

/// Measures the candidate in the cells that the file has, in several launches, and compares. An Error is one line: a
/// file that is no such report, another machine, other backends.
[[nodiscard]] Result<GateReport> run_saved_gate(const GateCommandOptions& options);

}  // namespace aesgate
