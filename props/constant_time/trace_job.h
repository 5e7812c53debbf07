#pragma once

#include "abi/aesgate_backend.h"
#include "props/constant_time/job.h"

namespace aesgate::constant_time {

/// One shape by single steps: the calls with job.keys different keys and texts, one forked child each, must execute the
/// same instructions and touch the same addresses. Single-threaded processes only: what another thread allocated
/// between two forks would be a difference.
[[nodiscard]] ShapeAnswer check_with_traces(const Job& job, const aesgate_backend& backend, std::size_t shape);

}  // namespace aesgate::constant_time
