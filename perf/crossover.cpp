#include "perf/crossover.h"

#include <algorithm>
#include <optional>

#include "core/driver.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "core/session.h"
#include "emulator/emulator.h"
#include "oracle/oracle.h"
#include "perf/calibration.h"
#include "perf/judged_case.h"
#include "perf/pair_sampler.h"
#include "perf/perf.h"
#include "perf/pinned_thread.h"

namespace aesgate {
namespace {

std::vector<std::size_t> sizes_for(Mode mode, const CrossoverOptions& options) {
  if (!options.sizes.empty()) return options.sizes;
  const bool is_short = mode == Mode::cfb1 || mode == Mode::cfb8;
  const std::size_t most = is_short ? default_perf_sizes(mode).back() : 65536;
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = block_bytes; bytes <= most; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

/// A's time of a call, and the ratio, by the pairs in which neither lost its CPU; or by all of them, if a call is
/// waited for: then the thread gives its CPU away in each, and the time is elapsed time whoever had it.
void take(const Pairing& pairing, double nanoseconds_per_unit, RatioAtSize& ratios, CrossoverResult& result) {
  std::vector<double> times;
  const auto kept = std::ranges::count_if(pairing.pairs, [](const Pair& pair) { return pair.kept_its_cpu; });
  const bool only_kept = static_cast<std::size_t>(kept) >= least_pairs;
  for (const Pair& pair : pairing.pairs) {
    if ((only_kept && !pair.kept_its_cpu) || !(pair.baseline > 0) || !(pair.candidate > 0)) continue;
    ratios.ratios.push_back(pair.candidate / pair.baseline);
    times.push_back(pair.baseline / static_cast<double>(pairing.calls_per_sample) * nanoseconds_per_unit);
  }
  if (!times.empty()) result.sizes.push_back({ratios.bytes, estimate(ratios.ratios), median(std::move(times))});
}

class Run {
 public:
  Run(const Plan& plan, const CrossoverOptions& options, Record& record)
      : plan_(plan), options_(options), record_(record), a_(*plan.backends[0]), b_(*plan.backends[1]) {}

  Result<CrossoverResult> measure(const Shape& shape) {
    CrossoverResult result;
    result.shape = shape;
    for (const aesgate_backend* backend : {&a_, &b_}) {
      std::string why = why_unavailable(*backend);
      const bool unavailable = !why.empty();
      if (!unavailable && !Session::supports(*backend, shape)) why = "does not do it";
      if (why.empty()) continue;
      result.verdict = unavailable ? Verdict::unavailable : Verdict::unsupported;
      result.reason = fmt::format("{}: {}", backend->name, why);
      return result;
    }
    std::vector<RatioAtSize> ratios;
    for (const std::size_t bytes : sizes_for(shape.mode, options_)) {
      ratios.push_back({bytes, {}});
      if (auto done = measure_size({shape, bytes, false, plan_.seed}, ratios.back(), result); !done)
        return tl::unexpected(done.error());
      if (!result.reason.empty()) return result;
    }
    result.crossover = find_crossover(std::move(ratios));
    return result;
  }

 private:
  Result<void> measure_size(const Workload& workload, RatioAtSize& ratios, CrossoverResult& result) {
    for (const aesgate_backend* backend : {&a_, &b_})
      if (auto judged = judge_one(*backend, workload, result); !judged || !result.reason.empty()) return judged;
    const auto a = callable(a_), b = callable(b_);
    if (!a) return tl::unexpected(a.error());
    if (!b) return tl::unexpected(b.error());
    PairOptions pairs;
    pairs.pairs = options_.pairs;
    pairs.seed = plan_.seed + workload.bytes;
    const Pairing pairing = sample_pairs(**a, **b, workload, *clock_, nullptr, pairs);
    if (pairing.verdict != Verdict::agree) {
      result.verdict = pairing.verdict;
      result.reason = pairing.reason;
      return {};
    }
    take(pairing, clock_->description().nanoseconds_per_unit, ratios, result);
    return {};
  }

  Result<void> judge_one(const aesgate_backend& backend, const Workload& workload, CrossoverResult& result) {
    const Case c = make_judged_case(workload, plan_.seed);
    const auto answer = ask(c);
    if (!answer) return tl::unexpected(answer.error());
    const Judgement judgement = judge(c, execute(backend, c), *answer);
    record_.judged(Suite::perf, backend, c, judgement);
    if (judgement.verdict == Verdict::agree) return {};
    result.verdict = judgement.verdict;
    result.reason = fmt::format("{}, {} bytes: {}", backend.name, workload.bytes, judgement.reason);
    return {};
  }

  const Plan& plan_;
  const CrossoverOptions& options_;
  Record& record_;
  const aesgate_backend &a_, &b_;
  PinnedThread pin_;
  std::unique_ptr<Clock> clock_ = perf_clock(plan_);
};

}  // namespace

Result<CrossoverReport> run_crossover(const Plan& plan, const CrossoverOptions& options, Record& record) {
  if (plan.backends.size() != 2) return error("crossover: it takes two backends, not {}", plan.backends.size());
  for (const std::size_t bytes : options.sizes)
    for (const Mode mode : plan.modes)
      if (bytes == 0 || !takes_length(mode, bytes))
        return error("crossover: a size of {} bytes, but {} takes multiples of {}", bytes, name(mode), block_bytes);
  CrossoverReport report;
  report.host = describe_host();
  report.a = plan.backends[0]->name;
  report.b = plan.backends[1]->name;
  report.emulated = std::ranges::any_of(plan.backends,
                                        [](const aesgate_backend* backend) { return emulator::is_emulated(*backend); });
  Run run(plan, options, record);
  for (const Mode mode : plan.modes)
    for (const Direction direction : options.directions)
      for (const KeySize key_size : options.key_sizes) {
        auto result = run.measure({mode, direction, key_size});
        if (!result) return tl::unexpected(result.error());
        report.results.push_back(std::move(*result));
      }
  return report;
}

int exit_status(const CrossoverReport& report) {
  if (std::ranges::any_of(report.results, [](const CrossoverResult& r) { return is_failure(r.verdict); })) return 1;
  return std::ranges::any_of(report.results, [](const CrossoverResult& r) { return r.reason.empty(); }) ? 0 : 3;
}

}  // namespace aesgate
