#include "cli/gate_run.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "core/registry.h"
#include "perf/gate_check.h"
#include "perf/gate_counts.h"
#include "perf/gate_matrix.h"
#include "perf/update_loop.h"
#include "report/console.h"

namespace aesgate {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Of the time that a backend may take; what is left is for the launches.
constexpr double seconds_to_count = 5;
constexpr double seconds_to_count_open_cells = 3;
constexpr std::size_t most_instructions_beside_launches = 20'000;  // half a second
constexpr std::size_t most_instructions_of_open_cells = 200'000;   // so that calls of up to a quarter are whole ones

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// Where only one side can be counted, the other's work would be none.
std::string why_not_counted(const GatePair& pair) {
  for (const aesgate_backend* backend : {pair.baseline, pair.candidate})
    if (const std::string why = why_not_countable(*backend); !why.empty())
      return fmt::format("{}: {}", backend->name, why);
  return {};
}

/// How many threads ran or waited for a CPU in the last minute, on average; 0 if that is not known.
double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

/// Threads that compute as long as it lives. The launches are pinned, so that the scheduler gives these the other CPUs.
class BusyThreads {
 public:
  explicit BusyThreads(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) spin(100'000);
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

GateResult without(GateVerdict verdict, std::string reason) {
  GateResult result;
  result.verdict = verdict;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

/// A bar, or lines, while it lives; and the end at Ctrl-C.
class GateRun::Watched {
 public:
  explicit Watched(GateRun& run)
      : run_(run), interrupt_([this](int) {
          if (progress_) progress_->stop();
          print_error("interrupted; there is no verdict");
        }) {
    progress_.emplace(record_);
    run_.progress_ = &*progress_;
  }
  ~Watched() { run_.progress_ = nullptr; }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  GateRun& run_;
  Record record_{{}};
  std::optional<Progress> progress_;
  Interrupt interrupt_;
};

GateRun::GateRun(GateTask task, std::string cases) : task_(std::move(task)), cases_(std::move(cases)) {
  report_.host = describe_host();
  report_.baseline_file = task_.baseline.file();
  report_.candidate_file = task_.candidate.file();
  report_.threshold = task_.gate.threshold;
  report_.seed = task_.gate.seed;
  report_.timed = !task_.count_only;
  report_.instructions_threshold = task_.instructions_threshold;
  if (task_.count_only && !task_.instructions_threshold)
    report_.instructions_threshold = default_instructions_threshold;
}

Result<void> GateRun::run() {
  const auto start = SteadyClock::now();
  const Watched watched(*this);
  for (const GatePair& pair : task_.pairs) {
    auto result = run_pair(pair);
    if (!result) return tl::unexpected(result.error());
    result->baseline = pair.baseline->name;
    result->candidate = pair.candidate->name;
    report_.results.push_back(std::move(*result));
  }
  report_.seconds = seconds_since(start);
  return {};
}

Result<SelfTest> GateRun::run_self_test() {
  const Watched watched(*this);
  const GatePair& pair = task_.pairs.front();
  const auto workloads = comparable(pair);
  if (!workloads) return tl::unexpected(workloads.error());
  if (const auto right = judge_side(task_.baseline, *pair.baseline, pair.baseline_spec, *workloads); !right)
    return tl::unexpected(right.error());
  if (!failures_.empty()) return error("--self-test: {} is wrong; see aesgate gate on it", pair.baseline->name);
  progress_->phase(task_.self_test.real * self_test_planted.size());
  const std::size_t busy_threads = task_.keep_busy ? std::max(report_.host.cpus, 2u) - 1 : 0;
  const double load = load_average();
  const BusyThreads busy(busy_threads);
  auto test =
      test_gate(request_of(pair), *workloads, task_.gate, launcher_, task_.self_test, [this](const SelfTest& so_far) {
        progress_->started("run");
        progress_->finished("run");
        progress_->milestone(fmt::format("run {} of {}, {:.0f} s", so_far.runs(false),
                                         task_.self_test.real * self_test_planted.size(), so_far.seconds));
      });
  if (!test) return test;
  test->surroundings = fmt::format(
      "{}; load {:.1f} before and {:.1f} after it, its own share about {}",
      busy_threads == 0 ? "whatever else ran" : fmt::format("a thread for each other CPU, which kept it busy"), load,
      load_average(), busy_threads + 1);
  return test;
}

Result<GateResult> GateRun::run_pair(const GatePair& pair) {
  const auto workloads = comparable(pair);
  if (!workloads) return without(GateVerdict::invalid, workloads.error().message);
  for (const auto& [side, backend, spec] : {std::tuple(&task_.baseline, pair.baseline, &pair.baseline_spec),
                                            std::tuple(&task_.candidate, pair.candidate, &pair.candidate_spec)}) {
    const auto right = judge_side(*side, *backend, *spec, *workloads);
    if (!right) return tl::unexpected(right.error());
    if (!*right)
      return without(GateVerdict::wrong,
                     fmt::format("{} of {} is wrong, and what is wrong has no speed: nothing was timed", backend->name,
                                 side->file()));
  }
  auto result = task_.count_only ? count_alone(pair, *workloads) : compare(pair, *workloads);
  if (!result) return result;
  for (std::string& note : notes_of(pair)) result->notes.push_back(std::move(note));
  return result;
}

Result<GateResult> GateRun::compare(const GatePair& pair, const std::vector<Workload>& workloads) {
  const auto start = SteadyClock::now();
  const std::string uncountable = why_not_counted(pair);
  std::vector<CellCounts> counts;
  if (uncountable.empty()) {
    LaunchRequest request = request_of(pair);
    request.most_instructions = most_instructions_beside_launches;
    auto counted = count_cells(request, workloads_to_count(workloads), seconds_to_count, launcher_);
    if (!counted) return tl::unexpected(counted.error());
    counts = std::move(*counted);
  }
  double count_seconds = seconds_since(start);
  GateOptions options = task_.gate;
  options.seconds = std::max(options.seconds - count_seconds, options.seconds / 2);
  auto result = compare_backends(request_of(pair), workloads, options, launcher_,
                                 [&](const std::string& what, std::size_t launch, std::size_t of) {
                                   const std::string task = fmt::format("{} {}", pair.baseline->name, what);
                                   if (launch == 0) progress_->phase(of);
                                   if (launch == 0) progress_->milestone(fmt::format("{}: {} launches", task, of));
                                   progress_->started(task);
                                   progress_->finished(task);
                                 });
  if (!result) return result;
  if (!uncountable.empty()) {
    result->notes.push_back("instructions were not counted: " + uncountable);
    return result;
  }
  const auto again = SteadyClock::now();
  if (const auto counted = count_open_cells(pair, *result, counts); !counted) return tl::unexpected(counted.error());
  apply_counts(*result, counts, {task_.instructions_threshold, task_.gate.threshold});
  result->count_seconds = count_seconds + seconds_since(again);
  return result;
}

/// What the launches left open may be the same execution; that has to be known of all its bytes.
Result<void> GateRun::count_open_cells(const GatePair& pair, const GateResult& result,
                                       std::vector<CellCounts>& counts) {
  std::vector<std::size_t> open;
  std::vector<Workload> workloads;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const GateCell& cell = result.cells[i];
    if (cell.verdict != GateVerdict::inconclusive || counts[i].bytes == cell.workload.bytes ||
        !counts[i].same_execution)
      continue;
    open.push_back(i);
    workloads.push_back(cell.workload);
  }
  if (open.empty()) return {};
  LaunchRequest request = request_of(pair);
  request.most_instructions = most_instructions_of_open_cells;
  const auto counted = count_cells(request, workloads, seconds_to_count_open_cells, launcher_);
  if (!counted) return tl::unexpected(counted.error());
  for (std::size_t i = 0; i < open.size(); ++i)
    if ((*counted)[i].counted()) counts[open[i]] = (*counted)[i];
  return {};
}

Result<GateResult> GateRun::count_alone(const GatePair& pair, const std::vector<Workload>& workloads) {
  if (const std::string why = why_not_counted(pair); !why.empty())
    return without(GateVerdict::invalid,
                   "instructions cannot be counted: " + why + "; without --count-only they are timed");
  const auto start = SteadyClock::now();
  const std::string task = fmt::format("counting {}", pair.baseline->name);
  progress_->phase(1);
  progress_->started(task);
  const auto counts = count_cells(request_of(pair), workloads_to_count(workloads), task_.gate.seconds, launcher_);
  if (!counts) return tl::unexpected(counts.error());
  progress_->finished(task);
  progress_->milestone(fmt::format("{}: {} cells", task, workloads.size()));
  GateResult result = judge_counts(workloads, *counts, *report_.instructions_threshold);
  result.count_seconds = seconds_since(start);
  return result;
}

Result<std::vector<Workload>> GateRun::comparable(const GatePair& pair) const {
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

std::vector<std::string> GateRun::notes_of(const GatePair& pair) const {
  const std::size_t supported = supported_workloads(*pair.baseline, task_.workloads).size();
  if (supported == task_.workloads.size()) return {};
  return {fmt::format("{} of {} cells are unsupported by the baseline and were not compared",
                      task_.workloads.size() - supported, task_.workloads.size())};
}

Result<bool> GateRun::judge_side(const GateSide& side, const aesgate_backend& backend, const std::string& spec,
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

LaunchRequest GateRun::request_of(const GatePair& pair) const {
  LaunchRequest request;
  request.baseline = std::filesystem::absolute(task_.baseline.file()).string();
  request.candidate = std::filesystem::absolute(task_.candidate.file()).string();
  request.baseline_backend = pair.baseline_spec;
  request.candidate_backend = pair.candidate_spec;
  return request;
}

Result<Launched> GateRun::launch(const LaunchRequest& request) const {
  for (const GateSide* side : {&task_.baseline, &task_.candidate})
    if (const auto same = side->check_same_file(); !same) return tl::unexpected(same.error());
  return launch_in_process(request);
}

}  // namespace aesgate
