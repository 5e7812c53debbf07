#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/backends.h"
#include "core/plan.h"

namespace aesgate {

/// Setting: the text of an option that an environment variable is the default of. `source` is where the text is from:
/// the option, the variable, or empty for what holds without either.
struct Setting {
  std::string text;
  std::string source;
};

/// The same for --require and AESGATE_REQUIRE, whose names are between blanks or commas.
struct Required {
  std::vector<std::string> names;
  std::string source;
};

/// What the commands that run Cases are asked on the command line, as the user wrote it: plan_from() and its like
/// turn it into values, so that all errors have one form.
struct RunOptions {
  BackendOptions backends;
  std::vector<std::string> emulated, modes, key_bits;
  Required required;
  Setting seed, effort, cases;
  std::string jobs, vectors, json, junit;
  bool witness = false, require_proof = false;  // not of add_run_options(): verify has them
};

// One option each, so that a command has those that do something in it.
void add_cpu_mask_option(CLI::App& command, std::optional<std::string>& mask);
void add_emulate_option(CLI::App& command, std::vector<std::string>& emulated);
void add_mode_option(CLI::App& command, std::vector<std::string>& modes);
void add_key_bits_option(CLI::App& command, std::vector<std::string>& key_bits);
void add_require_option(CLI::App& command, Required& required);
void add_cases_option(CLI::App& command, Setting& cases);
void add_json_option(CLI::App& command, std::string& json);
void add_seed_option(CLI::App& command, Setting& seed);
/// `fallback` is the effort of a command line that names none.
void add_effort_option(CLI::App& command, Setting& effort, const char* fallback);
void add_jobs_option(CLI::App& command, std::string& jobs);
void add_vectors_option(CLI::App& command, std::string& vectors);

/// All of RunOptions.
void add_run_options(CLI::App& command, RunOptions& options);

[[nodiscard]] Result<std::vector<Mode>> parse_modes(const std::vector<std::string>& names);
[[nodiscard]] Result<std::vector<KeySize>> parse_key_sizes(const std::vector<std::string>& names);

/// Switches the emulators of --emulate on, for the rest of the process and in those of isolated backends.
[[nodiscard]] Result<void> start_emulators(const std::vector<std::string>& names);

/// The part of a plan that says which backends run.
[[nodiscard]] Result<Plan> plan_of_backends(const BackendOptions& options);

/// The plan of a run, with its vectors' folder.
[[nodiscard]] Result<Plan> plan_from(const RunOptions& options);

/// The number that --seed says, or a new one for "random".
[[nodiscard]] Result<std::uint64_t> seed_from(const Setting& seed);

/// The number of threads: what --jobs says, or `usable_cpus`.
[[nodiscard]] Result<unsigned> parse_jobs(const std::string& text, unsigned usable_cpus);

/// The names of `required`, an Error unless each is the name of one of `backends`. A variable is for many runs: one of
/// its names that --backend left out of this run is not required in it.
[[nodiscard]] Result<std::vector<std::string>> parse_required(const Required& required,
                                                              const std::vector<const aesgate_backend*>& backends);

/// An Error unless .case files can be written to the folder that the user named, or it can be made; changes nothing.
/// The default may be unwritable: a finding then says that it has no file.
[[nodiscard]] Result<void> check_cases_folder(const Setting& cases);

}  // namespace aesgate
