#include "cli/run.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "cli/task_pool.h"
#include "core/registry.h"
#include "emulator/emulator.h"
#include "kat/kat.h"
#include "report/progress.h"
#include "witness/backend_witness.h"

namespace aesgate {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One call of a stage.
struct Task {
  const Stage* stage;
  const aesgate_backend* backend;
  Mode mode;

  [[nodiscard]] std::string text() const { return fmt::format("{} {} {}", stage->name, backend->name, name(mode)); }
};

/// How long a task takes beside others of its stage, roughly: a bit or byte of CFB1 and CFB8 costs a whole block
/// operation, and an emulator is slow.
int cost(const Task& task) {
  const int mode = task.mode == Mode::cfb1 ? 2 : task.mode == Mode::cfb8 ? 1 : 0;
  return mode + (emulator::is_emulated(*task.backend) ? 3 : 0);
}

/// A run of stages, from the plan to the exit status.
class Run {
 public:
  Run(std::string command, std::vector<const Stage*> stages, Plan plan, std::vector<std::string> required,
      const RunOptions& options, std::vector<witness::BackendSubject> subjects, unsigned threads)
      : stages_(std::move(stages)),
        files_{options.json, options.junit},
        threads_(threads),
        subjects_(std::move(subjects)),
        record_(options.cases.text) {
    summary_.command = std::move(command);
    summary_.host = describe_host();
    summary_.plan = std::move(plan);
    summary_.required = std::move(required);
    summary_.requires_proof = options.require_proof;
    for (const Stage* stage : stages_) summary_.stages.push_back({stage->name, stage->suites});
    for (const std::string& name : options.required.names)
      if (std::ranges::find(summary_.required, name) == summary_.required.end())
        record_.note(
            fmt::format("{} names {}, which is not among the backends of this run", options.required.source, name));
    for (const aesgate_backend* backend : summary_.plan.backends)
      summary_.backends.push_back({backend, why_unavailable(*backend), emulator::is_emulated(*backend)});
    for (const aesgate_backend* backend : summary_.plan.backends) {
      if (const std::string note = emulator::note_on(*backend); !note.empty()) record_.note(note);
      if (const std::string remark = remark_on(*backend); !remark.empty())
        record_.note(fmt::format("{}: {}", backend->name, remark));
    }
  }

  [[nodiscard]] Result<int> run() {
    if (const auto ran = run_with_progress(); !ran) return tl::unexpected(ran.error());
    summary_.seconds = seconds_since(start_);
    if (const auto written = write_reports(files_, summary_, record_); !written) return tl::unexpected(written.error());
    return conclude(summary_, record_).exit_status;
  }

 private:
  Result<void> run_with_progress() {
    Progress* progress = nullptr;
    // Before Progress, whose thread inherits what signals are blocked.
    const Interrupt interrupt([&](int) {
      if (progress != nullptr) progress->stop();
      print_error(fmt::format("interrupted after {} cases; there is no verdict", grouped(record_.done())));
    });
    Progress bar(record_);
    progress = &bar;
    if (const auto judged = judge_the_oracles(bar); !judged) return judged;
    if (record_.has_oracle_failure()) return {};
    return run_all(bar);
  }

  Result<void> judge_the_oracles(Progress& progress) {
    static const std::string task = "NIST's vectors judge the oracles";
    progress.phase(1);
    progress.started(task);
    auto judged = judge_oracles(summary_.plan, record_);
    progress.finished(task);
    return judged;
  }

  Result<void> run_all(Progress& progress) {
    const std::vector<Task> tasks = all_tasks();
    std::vector<std::function<Result<void>()>> calls = all_witnesses(progress);
    progress.phase(tasks.size() + calls.size());
    for (const Task& task : tasks) {
      ++left_[{task.stage, task.backend}];
      calls.emplace_back([this, &task, &progress] { return run_one(task, progress); });
    }
    return run_tasks(calls, threads_);
  }

  /// The tasks of what is available, the longest first, so that no thread is left alone with one at the end; those of a
  /// stage and a mode together, since every backend is asked the same there, and the oracles then only once.
  std::vector<Task> all_tasks() {
    std::vector<Task> tasks;
    for (const Stage* stage : stages_)
      for (const Mode mode : summary_.plan.modes)
        for (const Summary::Backend& backend : summary_.backends) {
          if (backend.why_unavailable.empty())
            tasks.push_back({stage, backend.backend, mode});
          else
            record_unavailable(backend, *stage, mode);
        }
    std::ranges::stable_sort(tasks, std::ranges::greater(), cost);
    return tasks;
  }

  /// What each that is available runs on.
  std::vector<std::function<Result<void>()>> all_witnesses(Progress& progress) {
    std::vector<std::size_t> shapes;
    for (const Mode mode : summary_.plan.modes)
      for (const Shape& shape : summary_.plan.shapes(mode)) shapes.push_back(index(shape));
    std::vector<std::function<Result<void>()>> calls;
    for (const witness::BackendSubject& subject : subjects_) {
      const auto found = std::ranges::find_if(
          summary_.backends, [&](const Summary::Backend& backend) { return backend.backend->name == subject.name; });
      if (found == summary_.backends.end() || !found->why_unavailable.empty()) continue;
      calls.emplace_back([&subject, &backend = *found, shapes, &progress]() -> Result<void> {
        const std::string task = fmt::format("witness {}", subject.name);
        progress.started(task);
        witness::BackendWitness seen =
            witness::witness_backend(subject, witness::WitnessRequest::quick(subject, shapes));
        progress.finished(task);
        backend.evidence = std::move(seen.conclusion);
        return {};
      });
    }
    return calls;
  }

  void record_unavailable(const Summary::Backend& backend, const Stage& stage, Mode mode) {
    for (const Suite suite : stage.suites)
      for (const Shape& shape : summary_.plan.shapes(mode))
        record_.not_run(suite, *backend.backend, shape, Verdict::unavailable, backend.why_unavailable);
  }

  Result<void> run_one(const Task& task, Progress& progress) {
    const auto start = Clock::now();
    progress.started(task.text());
    auto ran = task.stage->run(*task.backend, task.mode, summary_.plan, record_);
    progress.finished(task.text());
    const std::lock_guard lock(mutex_);
    summary_.seconds_of[{task.stage->name, task.backend->name, task.mode}] = seconds_since(start);
    if (--left_[{task.stage, task.backend}] == 0 && ran) progress.milestone(milestone(task));
    return ran;
  }

  [[nodiscard]] std::string milestone(const Task& task) const {
    Tally tally;
    for (const Suite suite : task.stage->suites) tally.add(record_.tally({suite, task.backend->name, {}, {}}));
    const std::string failures = tally.failures() > 0 ? fmt::format(", {} FAIL", grouped(tally.failures())) : "";
    return fmt::format("{:6.1f} s  {:<5}  {}: {} cases agree{}", seconds_since(start_), task.stage->name,
                       task.backend->name, grouped(tally.count(Verdict::agree)), failures);
  }

  std::vector<const Stage*> stages_;
  ReportFiles files_;
  unsigned threads_;
  std::vector<witness::BackendSubject> subjects_;
  Clock::time_point start_ = Clock::now();
  Record record_;
  std::mutex mutex_;  // for what follows, while tasks run
  Summary summary_;
  std::map<std::pair<const Stage*, const aesgate_backend*>, std::size_t> left_;
};

}  // namespace

namespace {

/// The backends of a run for a witness; none if it asks for none.
Result<std::vector<witness::BackendSubject>> subjects_of(const RunOptions& options) {
  std::vector<witness::BackendSubject> subjects;
  if (!options.witness) return subjects;
  const auto known = Backends::load(options.backends);
  if (!known) return tl::unexpected(known.error());
  const auto chosen = known->chosen_with_sources();
  if (!chosen) return tl::unexpected(chosen.error());
  for (const ChosenBackend& one : *chosen)
    subjects.push_back(
        {one.backend->name, one.spec, one.plugin, one.backend->unit, emulator::is_emulated(*one.backend)});
  return subjects;
}

}  // namespace

RunCommand add_run_command(CLI::App& app, Action& action, const std::string& name, const std::string& description,
                           const std::string& examples, std::vector<const Stage*> stages) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(
      "Examples:\n" + examples +
      "\nA variable in brackets is the option's default. Exit status: 0 all held, 1 a failure, 2 bad usage or\n"
      "input, 3 something required was unavailable, or nothing could be checked.");
  const auto options = std::make_shared<RunOptions>();
  add_run_options(*command, *options);
  const Action run = [options, name, stages = std::move(stages)]() -> Result<int> {
    if (const auto started = start_emulators(options->emulated); !started) return tl::unexpected(started.error());
    Result<Plan> plan = plan_from(*options);
    if (!plan) return tl::unexpected(plan.error());
    Result<std::vector<std::string>> required = parse_required(options->required, plan->backends);
    if (!required) return tl::unexpected(required.error());
    const Result<unsigned> threads = parse_jobs(options->jobs, describe_host().cpus);
    if (!threads) return tl::unexpected(threads.error());
    if (const auto files = check_report_files({options->json, options->junit}); !files)
      return tl::unexpected(files.error());
    auto subjects = subjects_of(*options);
    if (!subjects) return tl::unexpected(subjects.error());
    return Run(name, stages, std::move(*plan), std::move(*required), *options, std::move(*subjects), *threads).run();
  };
  command->callback([&action, run] { action = run; });
  return {command, options, run};
}

}  // namespace aesgate
