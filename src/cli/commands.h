#pragma once

#include <functional>

#include <CLI/App.hpp>

#include "core/result.h"

namespace aesgate {

/// Action: what a command does once the command line is read; gives the exit status, or an Error that is bad
/// input (exit status 2).
using Action = std::function<Result<int>()>;

// Each adds its command to `app`; when the command line names it, `action` becomes what it does.
void add_list(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_kat(CLI::App& app, Action& action);
void add_props(CLI::App& app, Action& action);
void add_fuzz(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_perf(CLI::App& app, Action& action);
void add_gate(CLI::App& app, Action& action);
void add_acvp(CLI::App& app, Action& action);
void add_faults(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_witness(CLI::App& app, Action& action);

}  // namespace aesgate
