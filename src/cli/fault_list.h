#pragma once

#include <filesystem>
#include <vector>

#include "core/result.h"
#include "fuzz/faults/fault.h"

namespace aesgate {

/// Where libaesgate_faults.so is: in the folder plugins beside this program, as in a build folder, or in the installed
/// one. An Error names both.
[[nodiscard]] Result<std::filesystem::path> find_faults_plugin();

/// What the plugin says of its faults; valid until the process ends. Loads it into this process, which it does nothing
/// to: its faults are in functions that nobody calls here.
[[nodiscard]] Result<std::vector<const faults::Fault*>> load_faults(const std::filesystem::path& plugin);

}  // namespace aesgate
