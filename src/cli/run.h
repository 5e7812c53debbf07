#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/stages.h"

namespace aesgate {

/// Adds a command that runs `stages` over all backends and modes that its options leave, after NIST's vectors
/// have judged the oracles: verify, kat, props and fuzz differ in nothing else. `examples`: lines for its help.
void add_run_command(CLI::App& app, Action& action, const std::string& name, const std::string& description,
                     const std::string& examples, std::vector<const Stage*> stages);

}  // namespace aesgate
