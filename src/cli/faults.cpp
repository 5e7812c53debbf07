// aesgate faults: which stage catches which backend that is wrong on purpose.

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/fault_list.h"
#include "cli/fault_report.h"
#include "cli/fault_speed.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "cli/task_pool.h"
#include "core/host.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "fuzz/fuzz.h"
#include "isolation/isolated.h"
#include "kat/kat.h"
#include "report/progress.h"
#include "witness/backend_witness.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

struct FaultOptions {
  RunOptions run;  // what of it this command has: seed, effort, jobs, vectors, json
  std::vector<std::string> faults;
  std::string cases, time_limit;
};

/// Some faults hang, and each stage waits for that twice.
constexpr std::chrono::milliseconds default_time_limit{2000};

using Faults = std::vector<const faults::Fault*>;

Result<Faults> chosen(const Faults& all, const std::vector<std::string>& names, const std::filesystem::path& plugin) {
  if (names.empty()) return all;
  Faults faults;
  for (const std::string& name : names) {
    const auto found = std::ranges::find_if(all, [&](const faults::Fault* f) { return f->backend.name == name; });
    if (found == all.end())
      return error("--fault: unknown fault \"{}\"; 'aesgate list --plugin {}' has all", excerpt(name), plugin.string());
    if (std::ranges::find(faults, *found) == faults.end()) faults.push_back(*found);
  }
  return faults;
}

/// A run of the command, from the plan to the matrix.
class FaultRun {
 public:
  FaultRun(std::filesystem::path plugin, Plan plan, std::chrono::milliseconds time_limit, std::string cases)
      : plugin_(std::move(plugin)), plan_(std::move(plan)), time_limit_(time_limit), cases_(std::move(cases)) {}

  Result<FaultMatrix> run(const Faults& faults, unsigned threads) {
    matrix_.effort = plan_.effort;
    matrix_.seed = plan_.seed;
    for (const FaultStage& stage : fault_stages()) matrix_.stages.emplace_back(stage.name);
    matrix_.stages.emplace_back("perf");
    matrix_.stages.emplace_back("witness");
    matrix_.has_witness = witness::why_no_single_steps().empty();
    for (const faults::Fault* fault : faults) matrix_.rows.push_back({fault, std::vector<Seen>(matrix_.stages.size())});
    const auto start = std::chrono::steady_clock::now();
    if (const auto ran = run_with_progress(threads); !ran) return tl::unexpected(ran.error());
    matrix_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(matrix_);
  }

 private:
  Result<void> run_with_progress(unsigned threads) {
    Record record{{}};
    Progress* bar = nullptr;
    const Interrupt interrupt([&](int) {
      if (bar != nullptr) bar->stop();
      print_error("interrupted; there is no verdict");
    });
    Progress progress(record);
    bar = &progress;
    if (const auto judged = judge_oracles(plan_, record); !judged) return judged;
    if (record.has_oracle_failure()) return error("the oracles do not hold; see aesgate verify");
    // Each stage has backends of its own, so that what one lost in a stage does not count in the next.
    for (std::size_t stage = 0; stage < fault_stages().size(); ++stage) {
      auto backends = isolate_plugin(plugin_, {time_limit_, static_cast<unsigned>(stage)});
      if (!backends) return tl::unexpected(backends.error());
      backends_.push_back(std::move(*backends));
    }
    std::vector<std::function<Result<void>()>> tasks;
    for (FaultRow* row : longest_first()) tasks.emplace_back([&, row] { return run_row(*row, progress); });
    progress.phase(tasks.size());
    if (const auto ran = run_tasks(tasks, threads); !ran) return ran;
    // One after the other, with nothing of this program beside them.
    for (FaultRow& row : matrix_.rows)
      if (const auto timed = time_one(row, progress); !timed) return timed;
    return {};
  }

  /// What finds nothing runs all of every stage.
  [[nodiscard]] bool finds_nothing(const FaultRow& row) const {
    return row.is_clean() || !matrix_.is_expected(row) || std::string_view(row.fault->needs) == "witness";
  }

  std::vector<FaultRow*> longest_first() {
    std::vector<FaultRow*> rows;
    for (FaultRow& row : matrix_.rows) rows.push_back(&row);
    std::stable_partition(rows.begin(), rows.end(), [this](const FaultRow* row) { return finds_nothing(*row); });
    return rows;
  }

  /// As the stage's plugin has it.
  [[nodiscard]] Result<const aesgate_backend*> find(std::string_view name, std::size_t stage) const {
    const auto found =
        std::ranges::find_if(backends_[stage], [&](const aesgate_backend* b) { return b->name == name; });
    if (found == backends_[stage].end()) return error("{}: {} is gone", plugin_.string(), name);
    return *found;
  }

  Result<void> run_row(FaultRow& row, Progress& progress) {
    const std::string task = row.fault->backend.name;
    progress.started(task);
    std::optional<Mode> mode;  // where a stage caught it, the next one begins
    for (std::size_t stage = 0; stage < fault_stages().size(); ++stage) {
      const auto backend = find(row.fault->backend.name, stage);
      if (!backend) return tl::unexpected(backend.error());
      auto seen = run_until_caught(fault_stages()[stage], **backend, plan_for(row, stage), mode, cases_);
      if (!seen) return tl::unexpected(seen.error());
      if (seen->mode) mode = seen->mode;
      row.seen[stage] = std::move(*seen);
      report(fmt::format("{} {}", fault_stages()[stage].name, task), row.seen[stage], progress);
    }
    if (!row.caught()) look_at(row, progress);  // what is wrong says nothing by what it runs on
    progress.finished(task);
    return {};
  }

  void look_at(FaultRow& row, Progress& progress) {
    if (!matrix_.has_witness) return;
    const aesgate_backend& fault = row.fault->backend;
    const auto backend = find(fault.name, 0);
    if (!backend || !why_unavailable(**backend).empty()) return;
    std::vector<std::size_t> shapes;
    for (const Mode mode : plan_.modes)
      for (const Shape& shape : plan_.shapes(mode)) shapes.push_back(index(shape));
    const witness::BackendSubject subject{fault.name, fault.name, plugin_.string(), fault.unit};
    const auto witnessed = witness::witness_backend(subject, witness::WitnessRequest::quick(subject, shapes));
    Seen& seen = row.seen.back();
    seen.ran = witnessed.conclusion.proof != witness::Proof::unknown;
    seen.caught = witnessed.conclusion.proof == witness::Proof::refuted;
    seen.cases = witnessed.shapes.size();
    seen.seconds = witnessed.seconds;
    seen.first = witnessed.conclusion.reason;
    report(fmt::format("witness {}", fault.name), seen, progress);
  }

  /// The boundary Cases are by far the most. In quick effort, where there is nothing to be found, one key size is
  /// enough.
  [[nodiscard]] Plan plan_for(const FaultRow& row, std::size_t stage) const {
    Plan plan = plan_;
    if (plan.effort == Effort::quick && finds_nothing(row) && fault_stages()[stage].run == run_boundary)
      plan.key_sizes = {KeySize::bits128};
    return plan;
  }

  Result<void> time_one(FaultRow& row, Progress& progress) {
    if (*row.fault->twin == '\0' || row.caught()) return {};  // what is wrong has no speed
    const auto backend = find(row.fault->backend.name, 0);
    const auto twin = find(row.fault->twin, 0);
    if (!backend) return tl::unexpected(backend.error());
    if (!twin) return tl::unexpected(twin.error());
    auto seen = compare_with_twin(**backend, **twin);
    if (!seen) return tl::unexpected(seen.error());
    Seen& perf = row.seen[fault_stages().size()];
    perf = std::move(*seen);
    report(fmt::format("perf {}", row.fault->backend.name), perf, progress);
    return {};
  }

  static void report(const std::string& task, const Seen& seen, Progress& progress) {
    progress.milestone(fmt::format("{}: {} after {} cases and {:.1f} s", task, seen.caught ? "caught" : "nothing seen",
                                   seen.cases, seen.seconds));
  }

  const std::filesystem::path plugin_;
  const Plan plan_;
  const std::chrono::milliseconds time_limit_;
  const std::string cases_;
  std::vector<std::vector<const aesgate_backend*>> backends_;  // by stage
  FaultMatrix matrix_;
};

Result<int> run_faults(const FaultOptions& options) {
  const auto plugin = find_faults_plugin();
  if (!plugin) return tl::unexpected(plugin.error());
  const auto all = load_faults(*plugin);
  if (!all) return tl::unexpected(all.error());
  const auto faults = chosen(*all, options.faults, *plugin);
  if (!faults) return tl::unexpected(faults.error());
  auto plan = plan_from(options.run);
  if (!plan) return tl::unexpected(plan.error());
  const auto threads = parse_jobs(options.run.jobs, describe_host().cpus);
  if (!threads) return tl::unexpected(threads.error());
  std::chrono::milliseconds limit = default_time_limit;
  if (!options.time_limit.empty()) {
    const auto seconds = parse_seconds("--time-limit", options.time_limit);
    if (!seconds) return tl::unexpected(seconds.error());
    limit = std::chrono::milliseconds(static_cast<long>(std::ceil(*seconds * 1000)));
  }
  if (!options.cases.empty())
    if (const auto folder = check_cases_folder({options.cases, "--cases"}); !folder)
      return tl::unexpected(folder.error());
  if (const auto file = check_report_file("--json", options.run.json); !file) return tl::unexpected(file.error());

  const auto matrix = FaultRun(*plugin, std::move(*plan), limit, options.cases).run(*faults, *threads);
  if (!matrix) return tl::unexpected(matrix.error());
  const bool json_to_stdout = options.run.json == "-";
  const std::string text = to_table(*matrix, wants_colour(json_to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (json_to_stdout)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return tl::unexpected(printed.error());
  if (!options.run.json.empty())
    if (const auto wrote = write_report("--json", options.run.json, to_json(*matrix).dump(2) + '\n'); !wrote)
      return tl::unexpected(wrote.error());
  return matrix->exit_status();
}

}  // namespace

void add_faults(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("faults", "Which stage catches which backend that is wrong on purpose, as real ones were");
  command->footer(
      "Examples:\n"
      "  aesgate faults\n"
      "  aesgate faults --fault fault-cfb-carry --cases found      failures go to the folder found\n"
      "\n"
      "Exit status: 0 every fault that can be was caught, and no clean backend accused; 1 one escaped, or was "
      "accused;\n"
      "2 bad usage.");
  const auto options = std::make_shared<FaultOptions>();
  command->add_option("--fault", options->faults, "Only this one; repeatable (default: all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_seed_option(*command, options->run.seed);
  add_effort_option(*command, options->run.effort, "quick");
  add_jobs_option(*command, options->run.jobs);
  command
      ->add_option(
          "--time-limit", options->time_limit,
          fmt::format("How long a backend may take for one case (default: {})", default_time_limit.count() / 1000))
      ->type_name("SECONDS");
  add_vectors_option(*command, options->run.vectors);
  command->add_option("--cases", options->cases, "Where the .case files of failures go (default: none are written)")
      ->type_name("DIR");
  add_json_option(*command, options->run.json);
  command->callback([&action, options] { action = [options] { return run_faults(*options); }; });
}

}  // namespace aesgate
