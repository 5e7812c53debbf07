#pragma once

#include "core/result.h"
#include "perf/gate_launch.h"

namespace aesgate {

/// LaunchRequest::Task::report: times the candidate in the request's cells, and in what lies between them (all sizes
/// with all directions and key sizes of a mode). Each is judged before and after.
[[nodiscard]] Result<Launched> report_launch(const LaunchRequest& request);

}  // namespace aesgate
