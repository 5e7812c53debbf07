#pragma once

#include <functional>
#include <vector>

#include "core/result.h"

namespace aesgate {

/// Runs the tasks in their order on `threads` threads and returns when all are done. After the first Error, or
/// exception, which becomes one, no further task is started, and that Error is the result.
[[nodiscard]] Result<void> run_tasks(const std::vector<std::function<Result<void>()>>& tasks, unsigned threads);

}  // namespace aesgate
