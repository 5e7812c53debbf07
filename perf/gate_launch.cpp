#include "perf/gate_launch.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "core/execute.h"
#include "core/plugin.h"
#include "core/registry.h"
#include "perf/gate_matrix.h"
#include "perf/judged_case.h"
#include "perf/pinned_thread.h"
#include "perf/report_launch.h"

namespace aesgate {
namespace {

/// A backend of a plugin that is loaded once more for it.
struct Loaded {
  std::string file, spec;
  const aesgate_backend* backend = nullptr;
};

Result<void> load(Loaded& side) {
  const auto backends = load_plugin_copy(side.file);
  if (!backends) return tl::unexpected(backends.error());
  const auto found = find_backend(side.spec, *backends);
  if (!found) return error("{}: {}", side.file, found.error().message);
  side.backend = *found;
  return {};
}

/// Do both give the same output? Apart from the timed calls, and as every other Case is executed.
std::string why_not_alike(const aesgate_backend& baseline, const aesgate_backend& candidate, const Workload& workload,
                          std::uint64_t seed) {
  const Case c = make_judged_case(workload, seed);
  const Outcome first = execute_here(baseline, c, nullptr);
  const Outcome second = execute_here(candidate, c, nullptr);
  if (first.status == second.status && !first.crash && !second.crash && first.output == second.output) return {};
  return fmt::format("after the timing baseline and candidate no longer give the same output ({})", c.origin);
}

class Launch {
 public:
  explicit Launch(const LaunchRequest& request)
      : request_(request),
        baseline_{request.baseline, request.baseline_backend},
        candidate_{request.candidate, request.candidate_backend},
        own_copy_{request.baseline, request.baseline_backend},
        random_(request.seed) {}

  Result<Launched> run() {
    if (const auto loaded = load_all(); !loaded) return tl::unexpected(loaded.error());
    if (request_.task == LaunchRequest::Task::counts) return count();
    launched_.pinned = pin_.cpu() >= 0;
    launched_.clock = clock_->description().name;
    launched_.unit = clock_->description().unit;
    launched_.nanoseconds_per_unit = clock_->description().nanoseconds_per_unit;
    if (auto probes = cpu_probes()) calibration_.emplace(*clock_, std::move(*probes));
    launched_.cells.resize(request_.cells.size());
    std::vector<std::size_t> order(request_.cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random_);
    for (const std::size_t i : order) {
      launched_.cells[i] = measure(request_.cells[i]);
      if (launched_.cells[i].verdict != Verdict::agree) break;  // what is wrong has no speed, and nor has the rest
    }
    return std::move(launched_);
  }

 private:
  /// In an order that is drawn: what is loaded first lies elsewhere than what is loaded next.
  Result<void> load_all() {
    std::vector<Loaded*> sides{&baseline_, &candidate_};
    if (std::ranges::any_of(request_.cells, [](const LaunchCell& c) { return c.with == LaunchCell::With::own_copy; }))
      sides.push_back(&own_copy_);
    std::ranges::shuffle(sides, random_);
    for (Loaded* side : sides)
      if (const auto loaded = load(*side); !loaded) return loaded;
    return {};
  }

  Launched count() const {
    std::vector<Workload> workloads;
    for (const LaunchCell& cell : request_.cells) workloads.push_back(cell.workload);
    Launched counted;
    for (CellCounts& counts : count_pairs(*baseline_.backend, *candidate_.backend, workloads,
                                          {.most_instructions = request_.most_instructions}, request_.count_seconds))
      counted.cells.emplace_back().counts = std::move(counts);
    return counted;
  }

  LaunchedCell measure(const LaunchCell& cell) {
    const aesgate_backend& other = *(cell.with == LaunchCell::With::candidate ? candidate_ : own_copy_).backend;
    const PairOptions options{
        .pairs = request_.pairs, .most_seconds = request_.seconds_a_cell, .seed = random_(), .planted = cell.planted};
    const Pairing pairing = sample_pairs(*baseline_.backend, other, cell.workload, *clock_,
                                         calibration_ ? &*calibration_ : nullptr, options);
    if (pairing.verdict != Verdict::agree)
      return {pairing.verdict, fmt::format("{}: {}", name(cell.workload), pairing.reason), {}, {}};
    if (const std::string why = why_not_alike(*baseline_.backend, other, cell.workload, random_()); !why.empty())
      return {Verdict::mismatch, fmt::format("{}: {}", name(cell.workload), why), {}, {}};
    return {Verdict::agree, {}, summarise(pairing), {}};
  }

  const LaunchRequest& request_;
  Loaded baseline_, candidate_, own_copy_;
  std::mt19937_64 random_;
  PinnedThread pin_;  // before the clock, which is measured on this CPU
  std::unique_ptr<Clock> clock_ = best_clock();
  std::optional<Calibration> calibration_;
  Launched launched_;
};

}  // namespace

Result<Launched> launch_here(const LaunchRequest& request) {
  return request.task == LaunchRequest::Task::report ? report_launch(request) : Launch(request).run();
}

}  // namespace aesgate
