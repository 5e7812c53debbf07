#include "perf/perf.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/driver.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "core/session.h"
#include "emulator/emulator.h"
#include "oracle/oracle.h"
#include "perf/calibration.h"
#include "perf/evaluate.h"
#include "perf/floors.h"
#include "perf/judged_case.h"
#include "perf/pinned_thread.h"
#include "perf/sampler.h"

namespace aesgate {
namespace {

Result<void> validate(const Plan& plan, const PerfOptions& options) {
  if (plan.backends.empty()) return error("perf: no backend is chosen");
  if (plan.modes.empty()) return error("perf: no mode is chosen");
  if (options.directions.empty()) return error("perf: no direction is chosen");
  if (options.key_sizes.empty()) return error("perf: no key size is chosen");
  if (!(options.seconds_per_cell > 0 && options.seconds_per_cell <= 3600))
    return error("perf: {} seconds a cell; it takes more than 0 and at most 3600", options.seconds_per_cell);
  for (const std::size_t bytes : options.sizes) {
    if (bytes == 0 || bytes > PerfOptions::max_bytes)
      return error("perf: a size of {} bytes; it takes 1 to {}", bytes, PerfOptions::max_bytes);
    for (const Mode mode : plan.modes)
      if (!takes_length(mode, bytes))
        return error("perf: a size of {} bytes, but {} takes multiples of {}", bytes, name(mode), block_bytes);
  }
  return {};
}

#if defined(__SANITIZE_ADDRESS__)
#define AESGATE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AESGATE_SANITIZED 1
#endif
#endif

/// The built-in backends are compiled with the same flags as this file.
std::string build_warning() {
#if defined(AESGATE_SANITIZED)
  return "built with sanitizers, which slow the built-in backends down many times";
#elif !defined(__OPTIMIZE__)
  return "built without optimisation, which slows the built-in backends down many times";
#else
  return {};
#endif
}

struct Cell {
  const aesgate_backend* backend;
  Workload workload;
};

/// Backends innermost: what is compared with each other is measured close together.
std::vector<Cell> make_cells(const Plan& plan, const PerfOptions& options) {
  std::vector<Cell> cells;
  for (const Mode mode : plan.modes)
    for (const Direction direction : options.directions)
      for (const KeySize key_size : options.key_sizes)
        for (const std::size_t bytes : options.sizes.empty() ? std::vector{default_perf_bytes(mode)} : options.sizes)
          for (const aesgate_backend* backend : plan.backends)
            cells.push_back({backend, {{mode, direction, key_size}, bytes, options.in_place, plan.seed}});
  return cells;
}

/// One run over all cells.
class Run {
 public:
  Run(const Plan& plan, const PerfOptions& options, Record& record, const PerfProgress& progress)
      : plan_(plan), options_(options), record_(record), progress_(progress), cells_(make_cells(plan, options)) {}

  Result<PerfReport> run() {
    report_.host = std::move(host_);
    report_.build_warning = build_warning();
    report_.cpu = pin_.cpu();
    report_.clock = clock_->description();
    if (auto probes = cpu_probes()) calibration_.emplace(*clock_, std::move(*probes));
    report_.cycles_source = cycles_source(report_.clock, calibration_ ? &calibration_->probes() : nullptr);
    report_.floors_source = floors_source(this_cpu());
    record_.expect(2 * cells_.size());
    for (const Cell& cell : cells_) {
      MeasuredCell measured;
      if (auto done = measure(cell, measured); !done) return tl::unexpected(done.error());
      measured_.push_back(std::move(measured));
      if (progress_) progress_(measured_.size(), cells_.size(), measured_.back().result);
    }
    evaluate(report_, measured_, calibration_.has_value());
    return std::move(report_);
  }

 private:
  Result<void> measure(const Cell& cell, MeasuredCell& measured) {
    PerfResult& result = measured.result;
    result.backend = cell.backend->name;
    result.shape = cell.workload.shape;
    result.bytes = cell.workload.bytes;
    result.in_place = cell.workload.in_place;
    if (aes_ != nullptr && !emulator::is_emulated(*cell.backend))
      result.floor_cycles_per_byte = floor_cycles_per_byte(*aes_, cell.backend->unit, cell.workload.shape);
    if (!can_run(cell, result)) return {};
    if (auto right = judge_one(cell, plan_.seed, result); !right || !result.timed()) return right;

    SamplerOptions sampler;
    sampler.seconds = options_.seconds_per_cell;
    // An isolated backend is timed here: calls into another process have no speed of their own.
    const auto timed = callable(*cell.backend);
    if (!timed) return tl::unexpected(timed.error());
    if (*timed != cell.backend)
      record_.note(fmt::format("{} was judged in a process of its own, and timed in this one", cell.backend->name));
    Sampling sampling =
        sample_updates(**timed, cell.workload, *clock_, calibration_ ? &*calibration_ : nullptr, sampler);
    if (sampling.verdict != Verdict::agree) {
      refuse(result, sampling.verdict, std::move(sampling.reason));
      record_.judged(Suite::perf, *cell.backend, make_judged_case(cell.workload, plan_.seed),
                     {result.verdict, result.reason, {}});
      return {};
    }
    result.calls_per_sample = sampling.calls_per_sample;
    measured.samples = std::move(sampling.samples);
    return judge_one(cell, plan_.seed + 1, result);
  }

  /// Is the shape there, on this machine?
  bool can_run(const Cell& cell, PerfResult& result) {
    if (std::string why = why_unavailable(*cell.backend); !why.empty())
      refuse(result, Verdict::unavailable, std::move(why));
    else if (!Session::supports(*cell.backend, cell.workload.shape))
      refuse(result, Verdict::unsupported, "this backend does not do it");
    else
      return true;
    record_.not_run(Suite::perf, *cell.backend, cell.workload.shape, result.verdict, result.reason);
    return false;
  }

  Result<void> judge_one(const Cell& cell, std::uint64_t seed, PerfResult& result) {
    const Case c = make_judged_case(cell.workload, seed);
    const auto answer = answer_for(cell.workload, seed, c);
    if (!answer) return tl::unexpected(answer.error());
    const std::uint64_t clocks = emulator::modelled_clocks();
    const Judgement judgement = judge(c, execute(*cell.backend, c), **answer);
    if (emulator::is_emulated(*cell.backend))
      result.modelled_clocks_per_byte =
          static_cast<double>(emulator::modelled_clocks() - clocks) / static_cast<double>(c.input.size());
    record_.judged(Suite::perf, *cell.backend, c, judgement);
    refuse(result, judgement.verdict, judgement.reason);
    return {};
  }

  static void refuse(PerfResult& result, Verdict verdict, std::string reason) {
    result.verdict = verdict;
    result.reason = std::move(reason);
  }

  /// The oracles' answer is the same for every backend, and takes longer than all of them.
  Result<const Answer*> answer_for(const Workload& workload, std::uint64_t seed, const Case& c) {
    const auto key = std::tuple(index(workload.shape), workload.bytes, seed);
    if (const auto known = answers_.find(key); known != answers_.end()) return &known->second;
    auto answer = ask(c);
    if (!answer) return tl::unexpected(answer.error());
    return &answers_.emplace(key, std::move(*answer)).first->second;
  }

  const Plan& plan_;
  const PerfOptions& options_;
  Record& record_;
  const PerfProgress& progress_;
  std::vector<Cell> cells_;
  Host host_ = describe_host();  // before the thread is pinned: it counts the CPUs that it may use
  PinnedThread pin_;             // before the clock, which is measured on this CPU
  std::unique_ptr<Clock> clock_ = best_clock();
  std::optional<Calibration> calibration_;
  const AesUnit* aes_ = find_aes_unit(this_cpu());
  std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, Answer> answers_;
  std::vector<MeasuredCell> measured_;
  PerfReport report_;
};

}  // namespace

std::size_t default_perf_bytes(Mode mode) {
  switch (mode) {
    case Mode::cfb1: return 128;
    case Mode::cfb8: return 1024;
    default: return 16384;
  }
}

Result<PerfReport> run_perf(const Plan& plan, const PerfOptions& options, Record& record,
                            const PerfProgress& progress) {
  if (auto valid = validate(plan, options); !valid) return tl::unexpected(valid.error());
  return Run(plan, options, record, progress).run();
}

}  // namespace aesgate
