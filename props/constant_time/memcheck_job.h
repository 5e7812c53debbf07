#pragma once

#include <string>

#include "abi/aesgate_backend.h"
#include "props/constant_time/job.h"

namespace aesgate::constant_time {

/// Why this build cannot mark memory for valgrind; empty if it can.
[[nodiscard]] std::string why_no_memcheck();

/// One shape, in a process that valgrind runs: leaks if it counted errors while the key was marked undefined. Where
/// they are is in valgrind's own report.
[[nodiscard]] ShapeAnswer check_with_memcheck(const Job& job, const aesgate_backend& backend, std::size_t shape);

}  // namespace aesgate::constant_time
