#include "cli/gate_task.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "cli/backends.h"
#include "cli/reports.h"
#include "core/text_file.h"
#include "perf/gate_matrix.h"

namespace aesgate {
namespace {

constexpr std::size_t most_self_test_runs = 100'000;

/// "0.75%": the sign says that it is no part of one.
Result<double> parse_percent(const char* option, const std::string& text, double least, double most) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, value);
  const double part = value / 100;
  if (wrong != std::errc() || std::string_view(stop, static_cast<std::size_t>(end - stop)) != "%" ||
      !(part >= least && part <= most))
    return error("{}: \"{}\" is no percentage from {:g}% to {:g}%, such as 0.75%", option, excerpt(text), 100 * least,
                 100 * most);
  return part;
}

Result<GateMatrix> parse_matrix(const GateCommandOptions& options) {
  GateMatrix matrix;
  auto modes = parse_modes(options.modes);
  if (!modes) return tl::unexpected(modes.error());
  matrix.modes = std::move(*modes);
  if (!options.key_bits.empty()) {
    auto key_sizes = parse_key_sizes(options.key_bits);
    if (!key_sizes) return tl::unexpected(key_sizes.error());
    matrix.key_sizes = std::move(*key_sizes);
  }
  for (const std::string& text : options.sizes) {
    const auto size = parse_number(text);
    if (!size) return error("--bytes: {}", size.error().message);
    if (std::ranges::find(matrix.sizes, *size) == matrix.sizes.end()) matrix.sizes.push_back(*size);
  }
  return matrix;
}

Result<std::size_t> parse_runs(const char* option, const std::string& text, std::size_t least) {
  const auto number = parse_number(text);
  if (!number || *number < least || *number > most_self_test_runs)
    return error("{}: \"{}\" is no number of runs from {} to {}", option, excerpt(text), least, most_self_test_runs);
  return *number;
}

/// Nothing without --self-test.
Result<std::optional<SelfTestRuns>> parse_self_test(const GateCommandOptions& options) {
  if (options.self_test.empty()) {
    if (options.keep_busy) return error("--keep-busy: is of --self-test");
    if (!options.redraw.empty()) return error("--redraw: is of --self-test");
    return std::nullopt;
  }
  SelfTestRuns runs;
  const auto real = parse_runs("--self-test", options.self_test, 1);
  if (!real) return tl::unexpected(real.error());
  runs.real = *real;
  if (!options.redraw.empty()) {
    const auto redrawn = parse_runs("--redraw", options.redraw, 0);
    if (!redrawn) return tl::unexpected(redrawn.error());
    runs.redrawn = *redrawn;
  }
  if (options.count_only || !options.instructions_threshold.empty())
    return error("--self-test: is of time; leave --count-only and --instructions-threshold out");
  if (!options.candidate.empty()) return error("--self-test: the candidate is the baseline; leave --candidate out");
  if (!options.junit.empty() || !options.markdown.empty())
    return error("--self-test: its report is the table, and --json");
  return runs;
}

}  // namespace

Result<GateNumbers> parse_gate_numbers(const GateCommandOptions& options) {
  GateNumbers numbers;
  if (!options.threshold.empty()) {
    const auto threshold =
        parse_percent("--threshold", options.threshold, GateOptions::least_threshold, GateOptions::most_threshold);
    if (!threshold) return tl::unexpected(threshold.error());
    numbers.gate.threshold = *threshold;
  }
  if (!options.instructions_threshold.empty()) {
    const auto threshold = parse_percent("--instructions-threshold", options.instructions_threshold, 0, 1);
    if (!threshold) return tl::unexpected(threshold.error());
    numbers.instructions_threshold = *threshold;
  }
  if (options.count_only && !options.threshold.empty())
    return error("--threshold: is of time, and --count-only measures none; --instructions-threshold is of counts");
  if (!options.seconds.empty()) {
    const auto seconds = parse_seconds("--seconds", options.seconds);
    if (!seconds) return tl::unexpected(seconds.error());
    numbers.gate.seconds = *seconds;
  }
  const auto seed = seed_from(options.seed);
  if (!seed) return tl::unexpected(seed.error());
  numbers.gate.seed = *seed;
  return numbers;
}

Result<void> check_gate_files(const GateCommandOptions& options) {
  const std::array<std::pair<const char*, const std::string*>, 3> files{
      {{"--json", &options.json}, {"--junit", &options.junit}, {"--markdown", &options.markdown}}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& [option, file] = files[i];
    if (const auto checked = check_report_file(option, *file); !checked) return checked;
    for (std::size_t other = 0; other < i; ++other)
      if (!file->empty() && *file == *files[other].second)
        return error("{}: {} is the file of {} too", option, *file == "-" ? "standard output" : *file,
                     files[other].first);
  }
  return {};
}

tl::unexpected<Error> missing(const char* option) {
  return error("{} is missing: two builds are compared, such as aesgate gate --baseline old.so --candidate new.so",
               option);
}

Result<GateTask> understand(const GateCommandOptions& options) {
  const auto numbers = parse_gate_numbers(options);
  if (!numbers) return tl::unexpected(numbers.error());
  const auto self_test = parse_self_test(options);
  if (!self_test) return tl::unexpected(self_test.error());
  const bool is_self_test = self_test->has_value();
  if (options.baseline.empty()) return missing("--baseline");
  if (options.candidate.empty() && !is_self_test) return missing("--candidate");
  const auto matrix = parse_matrix(options);
  if (!matrix) return tl::unexpected(matrix.error());
  auto workloads = gate_workloads(*matrix, numbers->gate.seed);
  if (!workloads) return error("--bytes: {}", workloads.error().message);
  if (const auto folder = check_cases_folder(options.cases); !folder) return tl::unexpected(folder.error());
  if (const auto files = check_gate_files(options); !files) return tl::unexpected(files.error());

  auto baseline = GateSide::load("--baseline", options.baseline);
  if (!baseline) return tl::unexpected(baseline.error());
  auto candidate = is_self_test ? *baseline : GateSide::load("--candidate", options.candidate);
  if (!candidate) return tl::unexpected(candidate.error());
  auto pairs = gate_pairs(*baseline, *candidate, options.backends, options.candidate_backend);
  if (!pairs) return tl::unexpected(pairs.error());
  if (is_self_test && pairs->size() != 1) return error("--self-test: is of one backend; name it with --backend");
  return GateTask{.baseline = std::move(*baseline),
                  .candidate = std::move(*candidate),
                  .pairs = std::move(*pairs),
                  .workloads = std::move(*workloads),
                  .gate = numbers->gate,
                  .instructions_threshold = numbers->instructions_threshold,
                  .count_only = options.count_only,
                  .is_self_test = is_self_test,
                  .self_test = self_test->value_or(SelfTestRuns{}),
                  .keep_busy = options.keep_busy};
}

}  // namespace aesgate
