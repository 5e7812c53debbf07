#include "perf/perf.h"

#include <unistd.h>
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/perf_count.h"
#include "cli/perf_crossover.h"
#include "cli/reports.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "perf/charts.h"
#include "perf/known_work.h"
#include "perf/perf_formats.h"
#include "perf/update_loop.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

struct PerfCommandOptions {
  BackendOptions backends;
  std::vector<std::string> emulated, modes, key_bits, directions, sizes;
  Required required;
  Setting seed, cases;
  std::string seconds, json;
  std::vector<std::string> offsets, models, crossover;
  std::string format, svg;
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
  const auto seed = seed_from(options.seed);
  if (!seed) return tl::unexpected(seed.error());
  plan->seed = *seed;
  if (const auto folder = check_cases_folder(options.cases); !folder) return tl::unexpected(folder.error());
  return plan;
}

/// Runs with a bar, or a line a round.
Result<PerfReport> run_with_progress(const Plan& plan, const PerfOptions& options, Record& record) {
  const auto extent = perf_extent(plan, options);
  if (!extent) return tl::unexpected(extent.error());
  Result<PerfReport> report;
  with_progress(record, [&](Progress& progress) {
    if (extent->cells > 0)
      print_to_stderr(fmt::format("{} to time, {} and what checking them takes\n",
                                  extent->cells == 1 ? "one cell" : fmt::format("{} cells", extent->cells),
                                  roughly(extent->seconds)));
    report = run_perf(plan, options, record,
                      [&](std::size_t round, std::size_t done, std::size_t total, const std::string& cell) {
                        if (round == 0 && done == 1) progress.phase(total * options.rounds);
                        progress.started(cell);
                        progress.finished(cell);
                        if (done == total && extent->cells > 0)
                          progress.milestone(fmt::format("round {:2} of {}", round + 1, options.rounds));
                      });
  });
  return report;
}

/// Those of --require that were not timed, with the reason.
std::vector<std::string> missing(const std::vector<std::string>& required, const PerfReport& report) {
  std::vector<Measured> results;
  for (const PerfResult& result : report.results)
    results.push_back({result.backend, result.timed(),
                       result.reason.empty() ? "" : fmt::format("{}: {}", name(result.verdict), result.reason)});
  return not_measured(required, results, "nothing was timed");
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

/// What of it was not said, as VIA's profile has it.
PerfCommandOptions with_profile(PerfCommandOptions options) {
  if (options.modes.empty()) options.modes = {"ECB", "CBC", "CFB128", "OFB"};
  if (options.directions.empty()) options.directions = {"encrypt"};
  if (options.sizes.empty()) options.sizes = {"16384"};
  return options;
}

Result<void> check_together(const PerfCommandOptions& options) {
  const bool counts = options.count || !options.models.empty();
  if (counts && (options.all_placements || !options.offsets.empty()))
    return error("--count: where buffers lie changes no count; leave --offset and --all-placements out");
  if ((counts || options.check_clock || !options.crossover.empty()) && !(options.format.empty() && options.svg.empty()))
    return error("--format and --svg are for times; leave them out, or --count, --model, --check-clock, --crossover");
  if (options.crossover.empty()) return {};
  if (!options.backends.backends.empty()) return error("--crossover: names its two backends; leave --backend out");
  if (counts || options.check_clock || !options.json.empty() || options.in_place || options.all_placements ||
      !options.offsets.empty())
    return error("--crossover goes with --mode, --direction, --key-bits and --bytes alone");
  return {};
}

std::string below_the_report(const Record& record, const Plan& plan, const std::vector<std::string>& not_timed,
                             bool colour) {
  std::string text;
  for (const std::string& note : record.notes()) text += wrapped("note: ", note);
  text += findings_below(record, plan, colour);
  if (!not_timed.empty())
    text += fmt::format("\nNOT PROVEN: required, but not timed: {}\n", fmt::join(not_timed, ", "));
  return text;
}

/// Why a report has nothing in it, a line each reason; nothing if something was timed. A table says it itself.
std::string why_nothing(const PerfReport& report) {
  if (report.timed() > 0 || report.has_failure()) return {};
  std::vector<std::string> lines;
  for (const PerfResult& result : report.results) {
    std::string line = wrapped("aesgate: nothing was timed: ",
                               fmt::format("{}: {}: {}", result.backend, name(result.verdict), result.reason));
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

/// The report in its format on standard output, and what belongs below it there too if that is a table for a person;
/// all of it on standard error if a file is "-".
Result<void> write_results(const PerfCommandOptions& options, PerfFormat format, const PerfReport& report,
                           const Record& record, const Plan& plan, const std::vector<std::string>& not_timed) {
  const bool stdout_is_taken = options.json == "-" || options.svg == "-";
  const bool for_person = format == PerfFormat::table;
  const bool colour = wants_colour(stdout_is_taken || !for_person ? STDERR_FILENO : STDOUT_FILENO);
  std::string text = to_text(format, report, options.raw);
  const std::string below = below_the_report(record, plan, not_timed, colour);
  if (for_person)
    text += below;
  else
    print_to_stderr(below + why_nothing(report));
  if (stdout_is_taken)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return printed;
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(report, options.raw).dump(2) + '\n'); !wrote)
      return wrote;
  if (!options.svg.empty())
    return write_report("--svg", options.svg, format == PerfFormat::via ? to_via_svg(report) : to_svg(report));
  return {};
}

Result<int> time_backends(const PerfCommandOptions& options, const Plan& plan, const PerfOptions& how,
                          PerfFormat format, const std::vector<std::string>& required) {
  Record record(options.cases.text);
  const auto report = run_with_progress(plan, how, record);
  if (!report) return tl::unexpected(report.error());
  const std::vector<std::string> not_timed = missing(required, *report);
  if (const auto wrote = write_results(options, format, *report, record, plan, not_timed); !wrote)
    return tl::unexpected(wrote.error());
  const int status = exit_status(*report);
  return status == 0 && !not_timed.empty() ? 3 : status;
}

Result<int> perf(PerfCommandOptions options) {
  if (const auto together = check_together(options); !together) return tl::unexpected(together.error());
  const auto format =
      options.format.empty() ? Result<PerfFormat>(PerfFormat::table) : parse_perf_format(options.format);
  if (!format) return error("--format: {}", format.error().message);
  if (*format == PerfFormat::via) options = with_profile(std::move(options));
  if (const auto started = start_emulators(options.emulated); !started) return tl::unexpected(started.error());
  if (!options.crossover.empty()) options.backends.backends = options.crossover;
  const auto plan = perf_plan(options);
  if (!plan) return tl::unexpected(plan.error());
  const auto required = parse_required(options.required, plan->backends);
  if (!required) return tl::unexpected(required.error());
  auto how = perf_options(options);
  if (!how) return tl::unexpected(how.error());
  for (const auto& [option, file] : {std::pair("--json", &options.json), {"--svg", &options.svg}})
    if (const auto writable = check_report_file(option, *file); !writable) return tl::unexpected(writable.error());
  if (options.json == "-" && options.svg == "-") return error("--json and --svg: one of them at the most is \"-\"");
  if (options.check_clock) return check_clock_alone(options.seconds.empty() ? 0.25 : how->seconds_per_cell);
  if (!options.crossover.empty()) return perf_crossover(*plan, *how, options.cases.text);
  if (options.count || !options.models.empty())
    return perf_count(*plan,
                      {.sizes = how->sizes,
                       .directions = how->directions,
                       .key_sizes = how->key_sizes,
                       .in_place = options.in_place,
                       .count = {},
                       .models = parse_models(options.models)},
                      {*required, options.cases.text, options.json});
  // What no format shows is not timed.
  how->key_setup = !options.json.empty() || *format == PerfFormat::table || *format == PerfFormat::json ||
                   *format == PerfFormat::csv;
  return time_backends(options, *plan, *how, *format, *required);
}

}  // namespace

void add_perf(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("perf", "How fast each backend is, after a check that it is right");
  command->footer(
      "Examples:\n"
      "  aesgate perf --mode CBC --key-bits 128,256\n"
      "  aesgate perf --backend aesni --bytes 64,16384 --in-place --json result.json\n"
      "  aesgate perf --mode CBC --direction decrypt --svg chart.svg --format csv > cells.csv\n"
      "  aesgate perf --crossover openssl af_alg --mode CBC\n"
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
  add_seed_option(*command, options->seed);
  command->get_option("--seed")->description(
      "The same seed makes the same keys, IVs and data; 'random' takes a new one (default: 1)");
  add_require_option(*command, options->required);
  add_cases_option(*command, options->cases);
  add_json_option(*command, options->json);
  command
      ->add_option("--format", options->format,
                   "table, json, csv, benchmark (Google's), openssl, openssl-mr, via, cycles (default: table)")
      ->type_name("FORMAT");
  command->add_option("--svg", options->svg, "Write a chart of the cells; with --format via, of VIA's profile")
      ->type_name("FILE");
  command
      ->add_option("--crossover", options->crossover,
                   "From which size of call on is B faster than A? Times nothing else")
      ->type_name("A B")
      ->expected(2);
  command->add_flag("--raw", options->raw, "Every sample in the JSON");
  command->callback([&action, options] { action = [options] { return perf(*options); }; });
}

}  // namespace aesgate
