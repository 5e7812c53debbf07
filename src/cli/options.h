#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "core/plan.h"

namespace aesgate {

/// What the commands that run Cases are asked on the command line, as the user wrote it: plan_from() and its like
/// turn it into values, so that all errors have one form.
struct RunOptions {
  std::vector<std::string> backends, modes, key_bits, required;
  std::string seed = "1", effort = "normal", jobs, vectors, cases = ".", json, junit;
};

// One option each, so that a command has those that do something in it.
void add_backend_option(CLI::App& command, std::vector<std::string>& backends);
void add_mode_option(CLI::App& command, std::vector<std::string>& modes);
void add_key_bits_option(CLI::App& command, std::vector<std::string>& key_bits);
void add_require_option(CLI::App& command, std::vector<std::string>& required);
void add_cases_option(CLI::App& command, std::string& cases);
void add_json_option(CLI::App& command, std::string& json);

/// All of RunOptions.
void add_run_options(CLI::App& command, RunOptions& options);

/// The named backends ("NAME" or "NAME:OPTIONS"), each once; all built-in ones if none is named.
[[nodiscard]] Result<std::vector<const aesgate_backend*>> parse_backends(const std::vector<std::string>& specs);
[[nodiscard]] Result<std::vector<Mode>> parse_modes(const std::vector<std::string>& names);
[[nodiscard]] Result<std::vector<KeySize>> parse_key_sizes(const std::vector<std::string>& names);

/// The plan of a run, with its vectors' folder.
[[nodiscard]] Result<Plan> plan_from(const RunOptions& options);

/// The number of threads: what --jobs says, or `usable_cpus`.
[[nodiscard]] Result<unsigned> parse_jobs(const std::string& text, unsigned usable_cpus);

/// An Error unless each name of --require is the name of one of `backends`.
[[nodiscard]] Result<void> check_required(const std::vector<std::string>& required,
                                          const std::vector<const aesgate_backend*>& backends);

/// An Error unless `folder`, of --cases, is a folder or could become one.
[[nodiscard]] Result<void> check_cases_folder(const std::string& folder);

}  // namespace aesgate
