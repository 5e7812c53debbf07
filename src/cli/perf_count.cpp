// aesgate perf --count: what a call executes, for which no clock is needed.

#include "cli/perf_count.h"

#include <unistd.h>
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "perf/count_report.h"
#include "perf/llvm_mca.h"

namespace aesgate {
namespace {

/// Runs with a bar, or a line a cell.
Result<CountReport> run_with_progress(const Plan& plan, const CountRunOptions& options, Record& record) {
  Result<CountReport> report;
  with_progress(record, [&](Progress& progress) {
    report = run_count(plan, options, record, [&](std::size_t done, std::size_t total, const CountResult& result) {
      if (done == 1) progress.phase(total);
      const std::string cell = fmt::format("{} {}, {} bytes", result.backend, name(result.shape), result.bytes);
      progress.started(cell);
      progress.finished(cell);
      progress.milestone(fmt::format("{:3}/{}  {}", done, total, cell));
    });
  });
  return report;
}

/// Those of `required` of which nothing was counted, with the reason.
std::vector<std::string> missing(const std::vector<std::string>& required, const CountReport& report) {
  std::vector<Measured> results;
  for (const CountResult& result : report.results)
    results.push_back({result.backend, result.counted(),
                       result.reason.empty() ? "" : fmt::format("{}: {}", name(result.verdict), result.reason)});
  return not_measured(required, results, "nothing was counted");
}

}  // namespace

std::vector<std::string> parse_models(const std::vector<std::string>& names) {
  std::vector<std::string> models;
  const auto add = [&](const std::string& cpu) {
    if (std::ranges::find(models, cpu) == models.end()) models.push_back(cpu);
  };
  for (const std::string& name : names) {
    if (name == "all")
      std::ranges::for_each(default_models(), add);
    else
      add(name);
  }
  return models;
}

Result<int> perf_count(const Plan& plan, const CountRunOptions& options, const CountCommand& command) {
  if (!options.models.empty()) {
    const auto modeller = LlvmMca::find();
    if (!modeller) {
      print_error("--model: " + modeller.error().message);
      return 3;
    }
  }
  Record record(command.cases);
  const auto report = run_with_progress(plan, options, record);
  if (!report) return tl::unexpected(report.error());
  const bool json_to_stdout = command.json == "-";
  std::string text = to_table(*report);
  text += findings_below(record, plan, wants_colour(json_to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  const std::vector<std::string> not_counted = missing(command.required, *report);
  if (!not_counted.empty())
    text += fmt::format("\nNOT PROVEN: required, but not counted: {}\n", fmt::join(not_counted, ", "));
  if (json_to_stdout)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return tl::unexpected(printed.error());
  if (!command.json.empty())
    if (const auto wrote = write_report("--json", command.json, to_json(*report).dump(2) + '\n'); !wrote)
      return tl::unexpected(wrote.error());
  const int status = exit_status(*report);
  return status == 0 && !not_counted.empty() ? 3 : status;
}

}  // namespace aesgate
