#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/campaign.h"
#include "fuzz/child_process.h"

namespace aesgate {

/// RunToEnd: how a program of a campaign that does one thing, such as a merge, ended.
struct RunToEnd {
  int status = 0;                  // ChildProcess::status()
  bool ended = true;               // by itself: not by its time or an interruption
  std::vector<std::string> lines;  // its last
};

/// The variables of all processes of a campaign: what the options say, with `folder` as its campaign folder.
[[nodiscard]] std::vector<std::string> variables_with(const std::vector<std::string>& variables,
                                                      const std::filesystem::path& folder);

/// What every process of a target is told; `artifacts` is where it puts what ended it.
[[nodiscard]] std::vector<std::string> arguments_of(const FuzzProgram& program, const std::filesystem::path& artifacts);

/// Runs a program, `limit` at most and while `interrupted` gives 0.
[[nodiscard]] Result<RunToEnd> run_to_end(const std::filesystem::path& program,
                                          const std::vector<std::string>& arguments,
                                          const std::vector<std::string>& variables, std::chrono::seconds limit,
                                          const std::function<int()>& interrupted);

/// The regular files of a folder, sorted; none if it is not there.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

/// All of a small file.
[[nodiscard]] std::string content_of(const std::filesystem::path& file);

}  // namespace aesgate
