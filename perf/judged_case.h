#pragma once

#include <cstdint>

#include "core/case.h"
#include "perf/update_loop.h"

namespace aesgate {

/// A Case like the timed calls, with data drawn from `seed`: two calls of the workload's size and placement in one
/// message. A backend that gets it wrong has no speed.
[[nodiscard]] Case make_judged_case(const Workload& workload, std::uint64_t seed);

}  // namespace aesgate
