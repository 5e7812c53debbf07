#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/stages.h"

namespace aesgate {

/// RunCommand: a command that was added, with what it was asked and what it does.
struct RunCommand {
  CLI::App* command;
  std::shared_ptr<RunOptions> options;
  Action run;
};

/// Adds a command that runs `stages` over all backends and modes that its options leave, after NIST's vectors
/// have judged the oracles: verify, kat, props and fuzz differ in nothing else. `examples`: lines for its help.
RunCommand add_run_command(CLI::App& app, Action& action, const std::string& name, const std::string& description,
                           const std::string& examples, std::vector<const Stage*> stages);

}  // namespace aesgate
