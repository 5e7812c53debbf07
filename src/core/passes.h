#pragma once

#include <functional>

#include "core/call_note.h"
#include "core/case.h"
#include "core/execute.h"
#include "core/migration.h"

namespace aesgate {

/// Has a Case conditions that run_passes() is for?
[[nodiscard]] bool needs_passes(const Conditions& conditions);

/// What a pass needs to know of what goes on around it.
struct PassOptions {
  Migration* migration = nullptr;  // to be asked for the next CPU between calls; or null
  bool interrupted = false;        // signal handlers use the stack below the calls
};
using Pass = std::function<Outcome(const PassOptions& options)>;

/// Runs the whole Case once in peace, and then under threads, timer and migration, as many times as it takes for the
/// timer to have come and for the threads to have met it, at most some milliseconds. The Outcome is that of the first
/// pass which differs from the one in peace, or that one; or what went wrong on another thread.
[[nodiscard]] Outcome run_passes(const aesgate_backend& backend, const Case& c, CallNote* note, const Pass& pass);

}  // namespace aesgate
