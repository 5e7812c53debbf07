// aesgate gate: is the candidate slower than the baseline?

#include <unistd.h>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/gate_sides.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "perf/gate.h"
#include "perf/gate_check.h"
#include "perf/gate_matrix.h"
#include "perf/gate_process.h"
#include "perf/gate_report.h"
#include "perf/gate_trials.h"
#include "report/console.h"
#include "report/progress.h"

namespace aesgate {
namespace {

struct GateCommandOptions {
  std::string baseline, candidate, candidate_backend, threshold, seconds, self_test;
  std::vector<std::string> backends, modes, key_bits, sizes;
  Setting seed, cases;
  std::string json, junit, markdown;
};

constexpr std::size_t most_self_test_runs = 100'000;

/// "0.75%": the sign says that it is no part of one.
Result<double> parse_threshold(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, value);
  const double part = value / 100;
  if (wrong != std::errc() || std::string_view(stop, static_cast<std::size_t>(end - stop)) != "%" ||
      !(part >= GateOptions::least_threshold && part <= GateOptions::most_threshold))
    return error("--threshold: \"{}\" is no percentage from {:g}% to {:g}%, such as 0.75%", excerpt(text),
                 100 * GateOptions::least_threshold, 100 * GateOptions::most_threshold);
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

/// What the command line says, understood.
struct Task {
  GateSide baseline, candidate;
  std::vector<GatePair> pairs;
  std::vector<Workload> workloads;
  GateOptions gate;
  std::size_t self_test_runs = 0;  // 0: none is asked for
};

Result<void> check_files(const GateCommandOptions& options) {
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

Result<Task> understand(const GateCommandOptions& options) {
  GateOptions gate;
  std::size_t runs = 0;
  if (!options.threshold.empty()) {
    const auto threshold = parse_threshold(options.threshold);
    if (!threshold) return tl::unexpected(threshold.error());
    gate.threshold = *threshold;
  }
  if (!options.seconds.empty()) {
    const auto seconds = parse_seconds("--seconds", options.seconds);
    if (!seconds) return tl::unexpected(seconds.error());
    gate.seconds = *seconds;
  }
  const auto seed = seed_from(options.seed);
  if (!seed) return tl::unexpected(seed.error());
  gate.seed = *seed;
  if (!options.self_test.empty()) {
    const auto number = parse_number(options.self_test);
    if (!number || *number == 0 || *number > most_self_test_runs)
      return error("--self-test: \"{}\" is no number of runs from 1 to {}", excerpt(options.self_test),
                   most_self_test_runs);
    if (!options.candidate.empty()) return error("--self-test: the candidate is the baseline; leave --candidate out");
    if (!options.junit.empty() || !options.markdown.empty())
      return error("--self-test: its report is the table, and --json");
    runs = *number;
  }
  if (options.baseline.empty()) return error("--baseline: names no plugin; see aesgate gate --help");
  if (options.candidate.empty() && runs == 0) return error("--candidate: names no plugin; see aesgate gate --help");
  const auto matrix = parse_matrix(options);
  if (!matrix) return tl::unexpected(matrix.error());
  auto workloads = gate_workloads(*matrix, gate.seed);
  if (!workloads) return error("--bytes: {}", workloads.error().message);
  if (const auto folder = check_cases_folder(options.cases); !folder) return tl::unexpected(folder.error());
  if (const auto files = check_files(options); !files) return tl::unexpected(files.error());

  auto baseline = GateSide::load("--baseline", options.baseline);
  if (!baseline) return tl::unexpected(baseline.error());
  auto candidate = runs > 0 ? *baseline : GateSide::load("--candidate", options.candidate);
  if (!candidate) return tl::unexpected(candidate.error());
  auto pairs = gate_pairs(*baseline, *candidate, options.backends, options.candidate_backend);
  if (!pairs) return tl::unexpected(pairs.error());
  if (runs > 0 && pairs->size() != 1) return error("--self-test: is of one backend; name it with --backend");
  return Task{std::move(*baseline), std::move(*candidate), std::move(*pairs), std::move(*workloads), gate, runs};
}

/// The run, from the plugins to the report.
class Gate {
 public:
  Gate(Task task, std::string cases) : task_(std::move(task)), cases_(std::move(cases)) {
    report_.host = describe_host();
    report_.baseline_file = task_.baseline.file();
    report_.candidate_file = task_.candidate.file();
    report_.threshold = task_.gate.threshold;
    report_.seed = task_.gate.seed;
  }

  Result<void> run() {
    const auto start = std::chrono::steady_clock::now();
    const Watched watched(*this);
    for (const GatePair& pair : task_.pairs) {
      auto result = run_pair(pair);
      if (!result) return tl::unexpected(result.error());
      result->baseline = pair.baseline->name;
      result->candidate = pair.candidate->name;
      report_.results.push_back(std::move(*result));
    }
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {};
  }

  Result<SelfTest> run_self_test() {
    const Watched watched(*this);
    const GatePair& pair = task_.pairs.front();
    const auto workloads = comparable(pair);
    if (!workloads) return tl::unexpected(workloads.error());
    if (const auto right = judge_side(task_.baseline, *pair.baseline, pair.baseline_spec, *workloads); !right)
      return tl::unexpected(right.error());
    if (!failures_.empty()) return error("--self-test: {} is wrong; see aesgate gate on it", pair.baseline->name);
    progress_->phase(task_.self_test_runs * self_test_planted.size());
    return test_gate(
        request_of(pair), *workloads, task_.gate, launcher_, task_.self_test_runs, [this](const SelfTest& so_far) {
          std::size_t done = 0;
          for (const SelfTestRow& row : so_far.rows) done += row.runs;
          progress_->started("run");
          progress_->finished("run");
          progress_->milestone(
              fmt::format("run {} of {}, {:.0f} s", done, task_.self_test_runs * so_far.rows.size(), so_far.seconds));
        });
  }

  [[nodiscard]] const GateReport& report() const { return report_; }

  /// The blocks of what was wrong, each with what replays it.
  [[nodiscard]] const std::string& failures() const { return failures_; }

 private:
  /// A bar, or lines, while it lives; and the end at Ctrl-C.
  class Watched {
   public:
    explicit Watched(Gate& gate)
        : gate_(gate), interrupt_([this](int) {
            if (progress_) progress_->stop();
            print_error("interrupted; there is no verdict");
          }) {
      progress_.emplace(record_);
      gate_.progress_ = &*progress_;
    }
    ~Watched() { gate_.progress_ = nullptr; }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    Gate& gate_;
    Record record_{{}};
    std::optional<Progress> progress_;
    Interrupt interrupt_;
  };

  static GateResult without(GateVerdict verdict, std::string reason) {
    GateResult result;
    result.verdict = verdict;
    result.reason = std::move(reason);
    return result;
  }

  Result<GateResult> run_pair(const GatePair& pair) {
    const auto workloads = comparable(pair);
    if (!workloads) return without(GateVerdict::invalid, workloads.error().message);
    for (const auto& [side, backend, spec] : {std::tuple(&task_.baseline, pair.baseline, &pair.baseline_spec),
                                              std::tuple(&task_.candidate, pair.candidate, &pair.candidate_spec)}) {
      const auto right = judge_side(*side, *backend, *spec, *workloads);
      if (!right) return tl::unexpected(right.error());
      if (!*right)
        return without(GateVerdict::wrong, fmt::format("{} of {} is wrong, and what is wrong has no speed: nothing "
                                                       "was timed",
                                                       backend->name, side->file()));
    }
    auto result = compare_backends(request_of(pair), *workloads, task_.gate, launcher_,
                                   [&](const std::string& what, std::size_t launch, std::size_t of) {
                                     const std::string task = fmt::format("{} {}", pair.baseline->name, what);
                                     if (launch == 0) progress_->phase(of);
                                     if (launch == 0) progress_->milestone(fmt::format("{}: {} launches", task, of));
                                     progress_->started(task);
                                     progress_->finished(task);
                                   });
    if (result) result->notes = notes_of(pair);
    return result;
  }

  /// The workloads that both support; an Error says why there is nothing to compare, or that something was lost.
  [[nodiscard]] Result<std::vector<Workload>> comparable(const GatePair& pair) const {
    for (const auto& [side, backend] :
         {std::pair(&task_.baseline, pair.baseline), std::pair(&task_.candidate, pair.candidate)})
      if (const std::string why = why_unavailable(*backend); !why.empty())
        return error("{} of {} is unavailable: {}", backend->name, side->file(), why);
    const std::vector<Workload> before = supported_workloads(*pair.baseline, task_.workloads);
    const std::vector<Workload> both = supported_workloads(*pair.candidate, before);
    if (before.empty()) return error("{} of {} supports none of the cells", pair.baseline->name, task_.baseline.file());
    if (before.size() == both.size()) return both;
    const auto lost = std::ranges::find_if(
        before, [&](const Workload& w) { return supported_workloads(*pair.candidate, {w}).empty(); });
    return error("{} of {} does not do {} any more, and {} cells in all", pair.candidate->name, task_.candidate.file(),
                 name(lost->shape), before.size() - both.size());
  }

  [[nodiscard]] std::vector<std::string> notes_of(const GatePair& pair) const {
    const std::size_t supported = supported_workloads(*pair.baseline, task_.workloads).size();
    if (supported == task_.workloads.size()) return {};
    return {fmt::format("{} of {} cells are unsupported by the baseline and were not compared",
                        task_.workloads.size() - supported, task_.workloads.size())};
  }

  /// Is it right in all workloads? Each backend before its plugin's code runs anywhere else.
  Result<bool> judge_side(const GateSide& side, const aesgate_backend& backend, const std::string& spec,
                          const std::vector<Workload>& workloads) {
    Record record(cases_);
    const std::string task = fmt::format("judging {} of {}", backend.name, side.file());
    progress_->phase(1);
    progress_->started(task);
    const auto judged = check_workloads(backend, workloads, task_.gate.seed, record);
    if (!judged) return tl::unexpected(judged.error());
    progress_->finished(task);
    progress_->milestone(fmt::format("{}: {} cases", task, workloads.size()));
    std::vector<const Finding*> findings;
    for (const Finding& finding : record.findings()) findings.push_back(&finding);
    failures_ += findings_text(findings, side.plan_of(backend, spec, task_.gate.seed), false);
    // Each Case has to agree: a backend that declines what it supports was not compared.
    return record.tally({}).count(Verdict::agree) == workloads.size();
  }

  [[nodiscard]] LaunchRequest request_of(const GatePair& pair) const {
    return {.baseline = std::filesystem::absolute(task_.baseline.file()).string(),
            .candidate = std::filesystem::absolute(task_.candidate.file()).string(),
            .baseline_backend = pair.baseline_spec,
            .candidate_backend = pair.candidate_spec,
            .cells = {}};
  }

  Task task_;
  const std::string cases_;
  const Launcher launcher_ = [this](const LaunchRequest& request) -> Result<Launched> {
    for (const GateSide* side : {&task_.baseline, &task_.candidate})
      if (const auto same = side->check_same_file(); !same) return tl::unexpected(same.error());
    return launch_in_process(request);
  };
  Progress* progress_ = nullptr;
  std::string failures_;
  GateReport report_;
};

Result<void> write_gate_reports(const GateCommandOptions& options, const Gate& gate) {
  const bool to_stdout = options.json == "-" || options.junit == "-" || options.markdown == "-";
  const std::string text =
      gate.failures() + to_table(gate.report(), wants_colour(to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (to_stdout)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return printed;
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(gate.report()).dump(2) + '\n'); !wrote)
      return wrote;
  if (!options.junit.empty())
    if (const auto wrote = write_report("--junit", options.junit, to_junit(gate.report())); !wrote) return wrote;
  if (options.markdown.empty()) return {};
  return write_report("--markdown", options.markdown, to_markdown(gate.report()));
}

Result<int> self_test(const GateCommandOptions& options, Gate& gate) {
  const auto test = gate.run_self_test();
  if (!test) return tl::unexpected(test.error());
  if (options.json == "-")
    print_to_stderr(to_table(*test));
  else if (const auto printed = print(to_table(*test)); !printed)
    return tl::unexpected(printed.error());
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(*test).dump(2) + '\n'); !wrote)
      return tl::unexpected(wrote.error());
  return 0;
}

Result<int> run_gate(const GateCommandOptions& options) {
  auto task = understand(options);
  if (!task) return tl::unexpected(task.error());
  const bool is_self_test = task->self_test_runs > 0;
  Gate gate(std::move(*task), options.cases.text);
  if (is_self_test) return self_test(options, gate);
  if (const auto ran = gate.run(); !ran) return tl::unexpected(ran.error());
  if (const auto wrote = write_gate_reports(options, gate); !wrote) return tl::unexpected(wrote.error());
  return exit_status(gate.report().verdict());
}

}  // namespace

void add_gate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gate", "Is a new build of a backend slower than an old one?");
  command->footer(
      "Examples:\n"
      "  aesgate gate --baseline old.so --candidate new.so --backend aesni --markdown comment.md\n"
      "  aesgate gate --baseline old.so --candidate new.so --backend aesni --candidate-backend vaes512\n"
      "  aesgate gate --self-test 20 --baseline new.so --backend aesni       what its verdicts are worth here\n"
      "\n"
      "Exit status: 0 PASS; 1 REGRESSED, or a backend is WRONG; 2 bad usage; 3 INCONCLUSIVE or INVALID: nothing is\n"
      "shown, and the report says what to do.");
  const auto options = std::make_shared<GateCommandOptions>();
  command->add_option("--baseline", options->baseline, "The plugin as it was")->type_name("OLD.so");
  command->add_option("--candidate", options->candidate, "The plugin as it is to be")->type_name("NEW.so");
  command->add_option("--backend", options->backends, "Only this backend; repeatable (default: all, the same in both)")
      ->type_name("NAME[:OPTIONS]")
      ->allow_extra_args(false);
  command
      ->add_option("--candidate-backend", options->candidate_backend,
                   "What the candidate calls the backend that --backend names (default: the same)")
      ->type_name("NAME[:OPTIONS]");
  command->add_option("--threshold", options->threshold, "How much slower is too slow (default: 0.75%)")
      ->type_name("PERCENT");
  add_mode_option(*command, options->modes);
  add_key_bits_option(*command, options->key_bits);
  command->get_option("--key-bits")
      ->description("Key sizes: 128, 192, 256; repeatable (default: 128 in full, 192 and 256 in part)");
  command->add_option("--bytes", options->sizes, "Bytes a call; repeatable (default: 16, 256, 16384; CFB8 16, CFB1 2)")
      ->type_name("N[,N]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--seconds", options->seconds, "How long a backend's launches may take (default: 50)")
      ->type_name("S");
  command
      ->add_option("--self-test", options->self_test,
                   "N runs of the baseline against itself, N with 1% planted and N with 2%: how often each verdict")
      ->type_name("N");
  add_seed_option(*command, options->seed);
  add_cases_option(*command, options->cases);
  add_json_option(*command, options->json);
  command->add_option("--junit", options->junit, "Write the result as JUnit XML too; - is standard output")
      ->type_name("FILE");
  command->add_option("--markdown", options->markdown, "Write it as Markdown for a merge request too")
      ->type_name("FILE");
  command->callback([&action, options] { action = [options] { return run_gate(*options); }; });
}

}  // namespace aesgate
