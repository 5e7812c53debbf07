#pragma once

#include <chrono>

#include "core/result.h"
#include "perf/gate_launch.h"

namespace aesgate {

/// A launch that takes longer has met a backend that does not come back.
inline constexpr std::chrono::seconds longest_launch{120};

/// launch_here() in a process of this program, that ends with it and with this thread: whatever the code of the plugins
/// does there is in Launched::lost. An Error where the system has no process for it, or the plugins do not load.
[[nodiscard]] Result<Launched> launch_in_process(const LaunchRequest& request);

/// If this process was started as a launch: measures, and never returns. First in main().
void measure_if_launch(int argc, char** argv);

}  // namespace aesgate
