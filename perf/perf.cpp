#include "perf/perf.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

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
#include "perf/surroundings.h"

namespace aesgate {
namespace {

Result<void> validate(const Plan& plan, const PerfOptions& options) {
  if (plan.backends.empty()) return error("perf: no backend is chosen");
  if (plan.modes.empty()) return error("perf: no mode is chosen");
  if (options.directions.empty()) return error("perf: no direction is chosen");
  if (options.key_sizes.empty()) return error("perf: no key size is chosen");
  if (!(options.seconds_per_cell > 0 && options.seconds_per_cell <= 3600))
    return error("perf: {} seconds a cell; it takes more than 0 and at most 3600", options.seconds_per_cell);
  if (options.rounds == 0) return error("perf: 0 rounds; it takes at least one");
  if (options.placings.empty()) return error("perf: no placing of the buffers is chosen");
  for (const Placing& placing : options.placings)
    if (placing.offset > Workload::max_offset)
      return error("perf: an offset of {}; it is at most {}", placing.offset, Workload::max_offset);
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

std::string name(const Cell& cell) {
  const Workload& workload = cell.workload;
  const std::string who = fmt::format("{} {}", cell.backend->name, name(workload.shape));
  if (workload.timed == Timed::key_setup) return who + ", key set-up";
  return fmt::format("{}, {} bytes{}{}", who, workload.bytes, workload.in_place ? ", in place" : "",
                     workload.offset == 0 ? "" : fmt::format(", at {}", workload.offset));
}

/// Backends innermost: what is compared with each other is measured close together.
std::vector<Cell> make_cells(const Plan& plan, const PerfOptions& options) {
  std::vector<Cell> cells;
  const auto add = [&](const Workload& workload) {
    for (const aesgate_backend* backend : plan.backends) cells.push_back({backend, workload});
  };
  for (const Mode mode : plan.modes)
    for (const Direction direction : options.directions)
      for (const KeySize key_size : options.key_sizes) {
        const Shape shape{mode, direction, key_size};
        if (options.key_setup) add({shape, block_bytes, false, plan.seed, 0, Timed::key_setup});
        for (const Placing& placing : options.placings)
          for (const std::size_t bytes : options.sizes.empty() ? default_perf_sizes(mode) : options.sizes)
            add({shape, bytes, placing.in_place, plan.seed, placing.offset});
      }
  return cells;
}

/// Does it leave work to something else than the thread that calls it, or may it? A library does that by an engine or a
/// provider, which its variants' names say.
bool may_offload(const aesgate_backend& backend) {
  const std::string_view kind = backend.kind, name = backend.name;
  const auto names = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return kind == "kernel" || (kind == "library" && (names("-engine-") || names("-provider-")));
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
    report_.surroundings = read_surroundings(report_.cpu);
    report_.seed = plan_.seed;
    const auto times = read_cpu_times();
    report_.clock = clock_->description();
    if (auto probes = cpu_probes()) calibration_.emplace(*clock_, std::move(*probes));
    report_.cycles_source = cycles_source(report_.clock, calibration_ ? &calibration_->probes() : nullptr);
    report_.floors_source = floors_source(this_cpu());
    for (const Cell& cell : cells_) record_.expect(driver_of(*cell.backend) == nullptr ? 2 : 3);
    for (const Cell& cell : cells_)
      if (auto done = prepare(cell); !done) return tl::unexpected(done.error());
    for (std::size_t round = 0; round < options_.rounds; ++round) sample_round(round);
    for (std::size_t i = 0; i < cells_.size(); ++i)
      if (auto done = judge_again(cells_[i], i); !done) return tl::unexpected(done.error());
    report_.surroundings.steal = stolen(times, read_cpu_times());
    evaluate(report_, measured_, calibration_.has_value());
    return std::move(report_);
  }

 private:
  /// Judges it, and finds what is to be timed of it.
  Result<void> prepare(const Cell& cell) {
    MeasuredCell& measured = measured_.emplace_back();
    PerfResult& result = measured.result;
    measured.timed = cell.workload.timed;
    timed_.push_back(nullptr);
    describe(cell, result);
    if (!can_run(cell, result)) return {};
    if (auto right = judge_one(cell, *cell.backend, plan_.seed, result); !right || !result.timed()) return right;

    // An isolated backend is timed here: calls into another process have no speed of their own. So here it is judged,
    // too: what is right there may be wrong beside other code, or in another kind of process.
    const auto timed = callable(*cell.backend);
    if (!timed) return tl::unexpected(timed.error());
    if (*timed != cell.backend) {
      record_.note(
          fmt::format("{} was judged in a process of its own, and judged and timed in this one", cell.backend->name));
      if (auto right = judge_one(cell, **timed, plan_.seed, result); !right || !result.timed()) return right;
    }
    timed_.back() = *timed;
    return {};
  }

  void sample_round(std::size_t round) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (timed_[i] != nullptr && !sample(cells_[i], *timed_[i], measured_[i], round)) timed_[i] = nullptr;
      if (progress_) progress_(round, i + 1, cells_.size(), name(cells_[i]));
    }
  }

  /// After it was timed, unless a call failed there.
  Result<void> judge_again(const Cell& cell, std::size_t i) {
    if (timed_[i] == nullptr) return {};
    return judge_one(cell, *timed_[i], plan_.seed + 1, measured_[i].result);
  }

  void describe(const Cell& cell, PerfResult& result) const {
    result.backend = cell.backend->name;
    result.unit = cell.backend->unit;
    result.shape = cell.workload.shape;
    result.bytes = cell.workload.bytes;
    result.in_place = cell.workload.in_place;
    result.offset = cell.workload.offset;
    if (aes_ != nullptr && !emulator::is_emulated(*cell.backend))
      result.floor_cycles_per_byte = floor_cycles_per_byte(*aes_, cell.backend->unit, cell.workload.shape);
  }

  /// False: a call failed, and the result says so.
  bool sample(const Cell& cell, const aesgate_backend& timed, MeasuredCell& measured, std::size_t round) {
    PerfResult& result = measured.result;
    const auto rounds = static_cast<double>(options_.rounds);
    SamplerOptions sampler;
    sampler.seconds = options_.seconds_per_cell / rounds;
    sampler.least_samples = (least_samples_taken + options_.rounds - 1) / options_.rounds;
    sampler.calls_per_sample = result.calls_per_sample;  // of the first round
    if (round == 0 && may_offload(*cell.backend) && cell.workload.timed == Timed::update)
      sampler.elapsed_seconds = options_.seconds_per_cell;
    Workload workload = cell.workload;
    workload.seed += round;
    Sampling sampling = sample_calls(timed, workload, *clock_, calibration_ ? &*calibration_ : nullptr, sampler);
    if (sampling.verdict != Verdict::agree) {
      refuse(result, sampling.verdict, std::move(sampling.reason));
      record_.judged(Suite::perf, *cell.backend, make_judged_case(workload, workload.seed),
                     {result.verdict, result.reason, {}});
      return false;
    }
    result.calls_per_sample = sampling.calls_per_sample;
    if (round == 0) result.elapsed = sampling.elapsed;
    for (Sample& taken : sampling.samples) {
      taken.round = round;
      measured.samples.push_back(taken);
    }
    return true;
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

  /// `backend` is the cell's, or the same in this process.
  Result<void> judge_one(const Cell& cell, const aesgate_backend& backend, std::uint64_t seed, PerfResult& result) {
    const Case c = make_judged_case(cell.workload, seed);
    const auto answer = answer_for(cell.workload, seed, c);
    if (!answer) return tl::unexpected(answer.error());
    const std::uint64_t clocks = emulator::modelled_clocks();
    const Judgement judgement = judge(c, execute(backend, c), **answer);
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
  std::unique_ptr<Clock> clock_ = perf_clock(plan_);
  std::optional<Calibration> calibration_;
  const AesUnit* aes_ = find_aes_unit(this_cpu());
  std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, Answer> answers_;
  std::vector<MeasuredCell> measured_;         // as cells_
  std::vector<const aesgate_backend*> timed_;  // as cells_: what is called while it is timed; null if nothing is
  PerfReport report_;
};

}  // namespace

std::vector<std::size_t> default_perf_sizes(Mode mode) {
  switch (mode) {
    case Mode::cfb1: return {16, 64, 128};
    case Mode::cfb8: return {16, 64, 256, 1024};
    default: return {16, 64, 256, 1024, 8192, 16384};
  }
}

// The core cycles of this thread are not what such a backend takes.
std::unique_ptr<Clock> perf_clock(const Plan& plan) {
  for (const aesgate_backend* backend : plan.backends)
    if (may_offload(*backend) && why_unavailable(*backend).empty())
      return best_elapsed_clock(
          fmt::format("core cycles are not counted, as {} does its work elsewhere", backend->name));
  return best_clock();
}

Result<PerfExtent> perf_extent(const Plan& plan, const PerfOptions& options) {
  if (auto valid = validate(plan, options); !valid) return tl::unexpected(valid.error());
  PerfExtent extent;
  for (const Cell& cell : make_cells(plan, options))
    extent.cells += why_unavailable(*cell.backend).empty() && Session::supports(*cell.backend, cell.workload.shape);
  extent.seconds = static_cast<double>(extent.cells) * options.seconds_per_cell * 1.1;  // with warming up
  return extent;
}

Result<PerfReport> run_perf(const Plan& plan, const PerfOptions& options, Record& record,
                            const PerfProgress& progress) {
  if (auto valid = validate(plan, options); !valid) return tl::unexpected(valid.error());
  return Run(plan, options, record, progress).run();
}

}  // namespace aesgate
