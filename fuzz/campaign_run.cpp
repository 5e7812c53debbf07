#include "fuzz/campaign_run.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <poll.h>

#include "fuzz/campaign_folder.h"
#include "fuzz/case_codec.h"
#include "fuzz/stream.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

constexpr int interval_ms = 50;

}  // namespace

std::vector<std::string> variables_with(const std::vector<std::string>& variables, const fs::path& folder) {
  std::vector<std::string> all = variables;
  all.push_back(fmt::format("{}={}", campaign_variable, folder.string()));
  // Symbols in a stack take a process of its own and seconds; what a user sets comes last, and holds.
  const char* const set = std::getenv("ASAN_OPTIONS");
  all.push_back(fmt::format("ASAN_OPTIONS=symbolize=0{}{}", set != nullptr ? ":" : "", set != nullptr ? set : ""));
  return all;
}

std::vector<std::string> arguments_of(const FuzzProgram& program, const fs::path& artifacts) {
  const std::size_t longest = program.target == "stream" ? 4 * most_stream_calls : max_encoded_bytes;
  // No leaks: a context that crashed, or was refused, is not finished by anybody.
  return {fmt::format("-artifact_prefix={}/", artifacts.string()),
          fmt::format("-max_len={}", longest),
          "-len_control=0",
          "-timeout=30",
          "-rss_limit_mb=2048",
          "-detect_leaks=0",
          "-print_funcs=0",
          "-report_slow_units=3600"};
}

Result<RunToEnd> run_to_end(const fs::path& program, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables, std::chrono::seconds limit,
                            const std::function<int()>& interrupted) {
  auto process = ChildProcess::start(program, arguments, variables);
  if (!process) return tl::unexpected(process.error());
  const auto end = std::chrono::steady_clock::now() + limit;
  RunToEnd ran;
  while (!process->has_ended()) {
    pollfd waiting{process->descriptor(), POLLIN, 0};
    poll(&waiting, process->descriptor() >= 0 ? 1 : 0, interval_ms);
    (void)process->read_lines();
    if (interrupted() == 0 && std::chrono::steady_clock::now() < end) continue;
    ran.ended = process->has_ended();
    process->kill();
  }
  (void)process->read_lines();
  ran.status = process->status();
  ran.lines.assign(process->last_lines().begin(), process->last_lines().end());
  return ran;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace aesgate
