#pragma once

#include <string>

#include "core/plan.h"
#include "core/result.h"
#include "perf/perf.h"

namespace aesgate {

/// aesgate perf --crossover A B, from understood options to the exit status. `options` says the sizes, directions and
/// key sizes; `cases` is the folder of .case files.
[[nodiscard]] Result<int> perf_crossover(const Plan& plan, const PerfOptions& options, const std::string& cases);

}  // namespace aesgate
