#include "cli/gate_saved.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "perf/gate_process.h"
#include "perf/saved_report.h"
#include "report/progress.h"

namespace aesgate {
namespace {

constexpr std::uintmax_t longest_file = 64u << 20;

Result<SavedReport> read_file(const std::string& file) {
  std::error_code wrong;
  const std::uintmax_t size = std::filesystem::file_size(file, wrong);
  if (wrong) return error("--baseline: {}: {}", file, wrong.message());
  if (size > longest_file) return error("--baseline: {}: {} bytes are no report of aesgate perf", file, size);
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return error("--baseline: {}: it cannot be read", file);
  auto report = read_saved_report(text);
  if (!report)
    return error("--baseline: {}: {}; save one with aesgate perf --json, or give a plugin", file,
                 report.error().message);
  return report;
}

/// What is for two plugins only.
Result<void> check_options(const GateCommandOptions& options) {
  const auto refuse = [](const char* option, const char* why) {
    return error("{}: {}, and --baseline is a saved report", option, why);
  };
  if (!options.candidate_backend.empty()) return refuse("--candidate-backend", "the backends are the report's");
  if (!options.modes.empty()) return refuse("--mode", "the cells are the report's");
  if (!options.key_bits.empty()) return refuse("--key-bits", "the cells are the report's");
  if (!options.sizes.empty()) return refuse("--bytes", "the cells are the report's");
  if (!options.self_test.empty()) return refuse("--self-test", "it is of a plugin");
  if (options.count_only) return refuse("--count-only", "instructions are counted in plugins");
  if (!options.instructions_threshold.empty())
    return refuse("--instructions-threshold", "instructions are counted in plugins");
  return {};
}

/// The backends to compare: the named ones, or all of the report, and then the plugin must have the same.
Result<std::vector<std::string>> choose(const std::vector<std::string>& named, const SavedReport& saved,
                                        const GateSide& candidate, const std::string& file) {
  const std::vector<std::string> there = saved.backends();
  for (const std::string& name : named)
    if (std::ranges::find(there, name) == there.end())
      return error("--baseline: {} has no backend \"{}\"; it has {}", file, name, fmt::join(there, ", "));
  const std::vector<std::string> wanted = named.empty() ? there : named;
  for (const std::string& name : wanted)
    if (const auto found = candidate.find(name); !found)
      return error("{}; the baseline has {}: name those to compare with --backend", found.error().message,
                   fmt::join(there, ", "));
  if (named.empty())
    for (const std::string& name : candidate.names())
      if (std::ranges::find(there, name) == there.end())
        return error("--candidate: {} has {}, and the baseline has not; name those to compare with --backend",
                     candidate.file(), name);
  return wanted;
}

LaunchRequest request_of(const SavedReport& saved, const std::string& backend, const std::string& file) {
  LaunchRequest request;
  request.task = LaunchRequest::Task::report;
  request.candidate = std::filesystem::absolute(file).string();
  request.candidate_backend = backend;
  for (const SavedCell& cell : saved.cells)
    if (cell.backend == backend && cell.reason.empty()) request.cells.push_back({cell.workload});
  return request;
}

GateResult lost(const std::string& backend, GateVerdict verdict, std::string reason) {
  GateResult result;
  result.baseline = result.candidate = backend;
  result.sentinels = false;
  result.verdict = verdict;
  result.reason = std::move(reason);
  return result;
}

/// One backend: its launches, and what they say.
Result<GateResult> compare(const SavedReport& saved, const std::string& file, const std::string& backend,
                           const GateSide& candidate, const SavedRules& rules, Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const LaunchRequest request = request_of(saved, backend, candidate.file());
  if (request.cells.empty())
    return lost(backend, GateVerdict::inconclusive,
                "the saved baseline knows core cycles of none of its cells: save one where less else runs");
  std::vector<SavedReport> launches;
  progress.phase(launches_for_saved);
  for (std::size_t i = 0; i < launches_for_saved; ++i) {
    if (const auto same = candidate.check_same_file(); !same) return tl::unexpected(same.error());
    progress.started(backend);
    const auto launched = launch_in_process(request);
    if (!launched) return tl::unexpected(launched.error());
    if (!launched->lost.empty()) return lost(backend, GateVerdict::wrong, launched->lost);
    auto report = read_saved_report(launched->report);
    if (!report) return error("{}", report.error().message);
    if (const std::string why = why_not_comparable(saved, *report); !why.empty())
      return error("--baseline: {} is of another machine: {}; save one here", file, why);
    launches.push_back(std::move(*report));
    progress.finished(backend);
    progress.milestone(fmt::format("{}: launch {} of {}", backend, i + 1, launches_for_saved));
  }
  GateResult result = compare_with_saved(saved, backend, launches, rules);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

bool is_saved_baseline(const std::string& file) {
  if (file.ends_with(".json")) return true;
  std::error_code wrong;
  if (!std::filesystem::is_regular_file(file, wrong)) return false;
  std::ifstream stream(file, std::ios::binary);
  char first = 0;
  return stream >> first && first == '{';
}

Result<GateReport> run_saved_gate(const GateCommandOptions& options) {
  if (const auto known = check_options(options); !known) return tl::unexpected(known.error());
  const auto numbers = parse_gate_numbers(options);
  if (!numbers) return tl::unexpected(numbers.error());
  if (options.candidate.empty()) return error("--candidate is missing: the build that is compared with what was saved");
  if (const auto files = check_gate_files(options); !files) return tl::unexpected(files.error());
  const auto saved = read_file(options.baseline);
  if (!saved) return tl::unexpected(saved.error());
  GateReport report;
  report.host = describe_host();
  SavedReport here;
  here.machine = machine_of(report.host);
  if (const std::string why = why_not_comparable(*saved, here); !why.empty())
    return error("--baseline: {} is of another machine: {}; save one here", options.baseline, why);
  const auto candidate = GateSide::load("--candidate", options.candidate);
  if (!candidate) return tl::unexpected(candidate.error());
  const auto backends = choose(options.backends, *saved, *candidate, options.baseline);
  if (!backends) return tl::unexpected(backends.error());
  report.baseline_file = options.baseline;
  report.candidate_file = options.candidate;
  report.threshold = numbers->gate.threshold;
  report.seed = numbers->gate.seed;

  const auto start = std::chrono::steady_clock::now();
  Progress* bar = nullptr;
  const Interrupt interrupt([&](int) {
    if (bar != nullptr) bar->stop();
    print_error("interrupted; there is no verdict");
  });
  const Record record{{}};
  Progress progress(record);
  bar = &progress;
  for (const std::string& backend : *backends) {
    auto result = compare(*saved, options.baseline, backend, *candidate, {numbers->gate.threshold}, progress);
    if (!result) return tl::unexpected(result.error());
    report.results.push_back(std::move(*result));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace aesgate
