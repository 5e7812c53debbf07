#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/options.h"

namespace aesgate {

/// What `aesgate verify --constant-time` is asked, beside the options of every run.
struct ConstantTimeOptions {
  bool wanted = false, secret_text = false;
  std::string method = "auto";
  std::vector<std::string> judged;
};
void add_constant_time_options(CLI::App& command, ConstantTimeOptions& options);

/// Instead of running Cases: does a secret decide where memory is touched, or which instruction comes next? Gives the
/// exit status.
[[nodiscard]] Result<int> check_constant_time(const RunOptions& run, const ConstantTimeOptions& options);

}  // namespace aesgate
