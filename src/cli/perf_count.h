#pragma once

#include <string>
#include <vector>

#include "core/plan.h"
#include "core/result.h"
#include "perf/count.h"

namespace aesgate {

/// What of the command line is not about which cells there are.
struct CountCommand {
  std::vector<std::string> required;  // names of backends that have to be counted
  std::string cases, json;            // the folder of .case files, and the file of --json
};

/// The models that --model names: CPUs as LLVM calls them, or "all" for default_models().
[[nodiscard]] std::vector<std::string> parse_models(const std::vector<std::string>& names);

/// aesgate perf --count, from understood options to the exit status.
[[nodiscard]] Result<int> perf_count(const Plan& plan, const CountRunOptions& options, const CountCommand& command);

}  // namespace aesgate
