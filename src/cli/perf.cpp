#include "perf/perf.h"

#include <unistd.h>
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/perf_count.h"
#include "cli/reports.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "perf/known_work.h"
#include "perf/perf_formats.h"
#include "perf/update_loop.h"
#include "report/console.h"
#include "report/progress.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

struct PerfCommandOptions {
  BackendOptions backends;
  std::vector<std::string> emulated, modes, key_bits, directions, sizes;
  Required required;
  Setting cases;
  std::string seconds, json;
  std::vector<std::string> offsets, models;
  bool in_place = false, all_placements = false, raw = false;
  bool count = false, check_clock = false;
};

Result<std::vector<Placing>> parse_placings(const PerfCommandOptions& options) {
  std::vector<std::size_t> offsets;
  for (const std::string& text : options.offsets) {
    const auto offset = parse_number(text);
    if (!offset) return error("--offset: {}", offset.error().message);
    if (*offset > Workload::max_offset) return error("--offset: {} is more than {}", *offset, Workload::max_offset);
    if (std::ranges::find(offsets, *offset) == offsets.end()) offsets.push_back(*offset);
  }
  if (offsets.empty()) offsets = options.all_placements ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0};
  std::vector<Placing> placings;
  for (const bool in_place : {false, true})
    if (options.all_placements || in_place == options.in_place)
      for (const std::size_t offset : offsets) placings.push_back({in_place, offset});
  return placings;
}

Result<PerfOptions> perf_options(const PerfCommandOptions& options) {
  PerfOptions perf;
  for (const std::string& text : options.sizes) {
    const auto size = parse_number(text);
    if (!size) return error("--bytes: {}", size.error().message);
    if (*size == 0 || *size > PerfOptions::max_bytes)
      return error("--bytes: {} is not between 1 and {}", *size, PerfOptions::max_bytes);
    perf.sizes.push_back(*size);
  }
  if (!options.directions.empty()) perf.directions.clear();
  for (const std::string& text : options.directions) {
    const auto direction = parse_direction(text);
    if (!direction) return error("--direction: {}", direction.error().message);
    if (std::ranges::find(perf.directions, *direction) == perf.directions.end()) perf.directions.push_back(*direction);
  }
  if (!options.key_bits.empty()) {
    auto sizes = parse_key_sizes(options.key_bits);
    if (!sizes) return tl::unexpected(sizes.error());
    perf.key_sizes = std::move(*sizes);
  }
  if (!options.seconds.empty()) {
    const auto seconds = parse_seconds("--seconds", options.seconds);
    if (!seconds) return tl::unexpected(seconds.error());
    perf.seconds_per_cell = *seconds;
  }
  auto placings = parse_placings(options);
  if (!placings) return tl::unexpected(placings.error());
  perf.placings = std::move(*placings);
  return perf;
}

Result<Plan> perf_plan(const PerfCommandOptions& options) {
  auto plan = plan_of_backends(options.backends);
  if (!plan) return plan;
  auto modes = parse_modes(options.modes);
  if (!modes) return tl::unexpected(modes.error());
  plan->modes = std::move(*modes);
  if (const auto folder = check_cases_folder(options.cases); !folder) return tl::unexpected(folder.error());
  return plan;
}

/// Runs with a bar, or a line a cell.
Result<PerfReport> run_with_progress(const Plan& plan, const PerfOptions& options, Record& record) {
  Progress* bar = nullptr;
  const Interrupt interrupt([&](int) {
    if (bar != nullptr) bar->stop();
    print_error("interrupted; there is no result");
  });
  Progress progress(record);
  bar = &progress;
  const PerfExtent extent = perf_extent(plan, options);
  print_to_stderr(fmt::format("{} to time, {:.0f} s and what checking them takes\n",
                              extent.cells == 1 ? "one cell" : fmt::format("{} cells", extent.cells), extent.seconds));
  return run_perf(plan, options, record, [&](std::size_t done, std::size_t total, const std::string& cell) {
    if (done == 1) progress.phase(total);
    progress.started(cell);
    progress.finished(cell);
    progress.milestone(fmt::format("{:3}/{}  {}", done, total, cell));
  });
}

/// Those of --require that were not timed, with the reason.
std::vector<std::string> missing(const std::vector<std::string>& required, const PerfReport& report) {
  std::vector<std::string> missing;
  for (const std::string& wanted : required) {
    std::string why = "nothing was timed";
    bool timed = false;
    for (const PerfResult& result : report.results) {
      if (result.backend != wanted) continue;
      timed = timed || result.timed();
      if (!result.reason.empty()) why = fmt::format("{}: {}", name(result.verdict), result.reason);
    }
    if (!timed) missing.push_back(fmt::format("{} ({})", wanted, why));
  }
  return missing;
}

Result<int> check_clock_alone(double seconds) {
  const auto check = check_clock(seconds);
  if (!check) {
    print_error("--check-clock: " + check.error().message);
    return 3;
  }
  if (const auto printed = print(to_text(*check)); !printed) return tl::unexpected(printed.error());
  return check->exit_status();
}

Result<int> perf(const PerfCommandOptions& options) {
  if (const auto started = start_emulators(options.emulated); !started) return tl::unexpected(started.error());
  const auto plan = perf_plan(options);
  if (!plan) return tl::unexpected(plan.error());
  const auto required = parse_required(options.required, plan->backends);
  if (!required) return tl::unexpected(required.error());
  const auto how = perf_options(options);
  if (!how) return tl::unexpected(how.error());
  if (const auto file = check_report_file("--json", options.json); !file) return tl::unexpected(file.error());
  if (options.check_clock) return check_clock_alone(options.seconds.empty() ? 0.25 : how->seconds_per_cell);
  const bool counts = options.count || !options.models.empty();
  if (counts && (options.all_placements || !options.offsets.empty()))
    return error("--count: where buffers lie changes no count; leave --offset and --all-placements out");
  if (counts)
    return perf_count(*plan,
                      {.sizes = how->sizes,
                       .directions = how->directions,
                       .key_sizes = how->key_sizes,
                       .in_place = options.in_place,
                       .models = parse_models(options.models)},
                      {*required, options.cases.text, options.json});

  Record record(options.cases.text);
  const auto report = run_with_progress(*plan, *how, record);
  if (!report) return tl::unexpected(report.error());

  const bool json_to_stdout = options.json == "-";
  const bool colour = wants_colour(json_to_stdout ? STDERR_FILENO : STDOUT_FILENO);
  std::string text = to_table(*report);
  std::vector<const Finding*> findings;
  for (const Finding& finding : record.findings()) findings.push_back(&finding);
  for (const std::string& note : record.notes()) text += wrapped("note: ", note);
  if (!findings.empty()) text += '\n' + findings_text(findings, *plan, colour);
  const std::vector<std::string> not_timed = missing(*required, *report);
  if (!not_timed.empty())
    text += fmt::format("\nNOT PROVEN: required, but not timed: {}\n", fmt::join(not_timed, ", "));
  if (json_to_stdout)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return tl::unexpected(printed.error());
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(*report, options.raw).dump(2) + '\n'); !wrote)
      return tl::unexpected(wrote.error());
  const int status = exit_status(*report);
  return status == 0 && !not_timed.empty() ? 3 : status;
}

}  // namespace

void add_perf(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("perf", "How fast each backend is, after a check that it is right");
  command->footer(
      "Examples:\n"
      "  aesgate perf --mode CBC --key-bits 128,256\n"
      "  aesgate perf --backend aesni --bytes 64,16384 --in-place --json result.json\n"
      "  aesgate perf --count --backend vaes512 --model znver4,icelake-server\n"
      "\n"
      "Exit status: 0 timed, 1 a backend was wrong, 2 bad usage, 3 nothing, or not all that was required, was timed.");
  const auto options = std::make_shared<PerfCommandOptions>();
  add_backend_options(*command, options->backends);
  add_emulate_option(*command, options->emulated);
  add_mode_option(*command, options->modes);
  add_key_bits_option(*command, options->key_bits);
  command->get_option("--key-bits")->description("Key sizes: 128, 192, 256; repeatable (default: 128)");
  command->add_option("--direction", options->directions, "encrypt or decrypt (default: both)")
      ->type_name("DIRECTION")
      ->allow_extra_args(false);
  command
      ->add_option("--bytes", options->sizes,
                   "Bytes a call; repeatable (default: 16, 64, 256, 1024, 8192, 16384; less in CFB8 and CFB1)")
      ->type_name("N[,N]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--in-place", options->in_place, "Time calls whose output is their input");
  command->add_flag("--check-clock", options->check_clock,
                    "Time chains of AES instructions whose cycles are known, and nothing else");
  command->add_flag("--count", options->count,
                    "Count the instructions of a call by single steps, and time nothing (16 to 1024 bytes)");
  command
      ->add_option("--model", options->models,
                   "Count, and model cycles on this CPU with llvm-mca, such as znver4; repeatable; all: on five")
      ->type_name("CPU[,CPU]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--offset", options->offsets, "Bytes past a page at which buffers begin, 0 to 255; repeatable")
      ->type_name("N[,N]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--all-placements", options->all_placements,
                    "Time all: in place and not, on a page and one byte past it");
  command->add_option("--seconds", options->seconds, "Sampling time of each cell (default: 0.05)")->type_name("S");
  add_require_option(*command, options->required);
  add_cases_option(*command, options->cases);
  add_json_option(*command, options->json);
  command->add_flag("--raw", options->raw, "Every sample in the JSON");
  command->callback([&action, options] { action = [options] { return perf(*options); }; });
}

}  // namespace aesgate
