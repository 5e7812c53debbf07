#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/result.h"

namespace aesgate {

// Isolated backends: driven (core/driver.h) in a process of their own, one for each thread that executes Cases, so that
// a crash, a hang, an exit or a broken heap ends that process alone and is a verdict like others. They and all that
// they hold live until this process ends.

struct Isolation {
  /// How long one Case, or the loading of a plugin, may take.
  std::chrono::milliseconds time_limit = default_time_limit;

  /// Backends of another copy are other backends: one that lost its processes so often that it is not called any more
  /// still is, as a new one, in the next copy.
  unsigned copy = 0;

  static constexpr std::chrono::milliseconds default_time_limit{5'000};
};

/// After so many time-outs, or Cases of any kind in which the process was lost, in one mode, a backend gets no more of
/// that mode; and after so many time-outs in all its modes, none at all: each costs the time limit, or a new process,
/// and the verdict is clear.
inline constexpr unsigned most_time_outs = 2;
inline constexpr unsigned most_losses = 50;
inline constexpr unsigned most_time_outs_in_all = 6;

/// The backends of a plugin. An Error is as load_plugin()'s, or says how loading it ended: by a crash, a time-out, an
/// exit. Whether probe() works is for the Cases to show: a backend whose probe() ends the process counts as available.
[[nodiscard]] Result<std::vector<const aesgate_backend*>> isolate_plugin(const std::filesystem::path& file,
                                                                         const Isolation& isolation);

/// A backend built in, "NAME" or "NAME:OPTIONS", as find_backend() finds it.
[[nodiscard]] Result<const aesgate_backend*> isolate_built_in(std::string_view spec, const Isolation& isolation);

}  // namespace aesgate
