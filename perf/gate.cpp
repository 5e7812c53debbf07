#include "perf/gate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/splitmix.h"
#include "perf/gate_matrix.h"
#include "perf/gate_statistics.h"
#include "perf/statistics.h"

namespace aesgate {
namespace {

constexpr int rounds = 4;               // of confirming launches, as long as something is open
constexpr double surely_below = 0.025;  // the chance with which a cell at the resolution may look as one below it

/// Median and spread of what the launches saw.
void set_change(GateCell& cell, const std::vector<double>& changes) {
  if (changes.empty()) return;
  const Estimate all = estimate(changes);
  cell.change = GateCell::Change{all.median, all.low, all.high};
}

/// The cells of a run and, as the last two, the sentinels: all are measured alike.
class Comparison {
 public:
  Comparison(const LaunchRequest& request, const std::vector<Workload>& workloads, const GateOptions& options,
             const Launcher& launcher, const GateProgress& progress)
      : request_(request), options_(options), launcher_(launcher), progress_(progress) {
    request_.pairs = options.pairs;
    for (const Workload& workload : workloads) add(workload, {workload});
    if (options.planted) cells_[options.planted->cell].launch.planted = options.planted->part;
    // Where a launch's luck shows most: many bytes, and no call to hide behind.
    const auto longest = std::ranges::max_element(workloads, {}, [](const Workload& w) { return w.bytes; });
    add(*longest, {*longest, LaunchCell::With::own_copy, 0});
    add(*longest, {*longest, LaunchCell::With::own_copy, options.resolution()});
    result_.planted = options.resolution();
  }

  Result<GateResult> run() {
    const auto start = Clock::now();
    if (const auto screened = screen(); !screened) return tl::unexpected(screened.error());
    for (int round = 1; round <= rounds && !is_wrong() && !out_of_time_ && has_open(); ++round)
      if (const auto confirmed = confirm(round); !confirmed) return tl::unexpected(confirmed.error());
    conclude();
    result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Measured {
    LaunchCell launch;
    GateCell cell;
    std::vector<double> nanoseconds, cycles;  // a call, by launch
    bool open = true;                         // more launches of it may be needed
  };

  void add(const Workload& workload, LaunchCell launch) {
    Measured& added = cells_.emplace_back();
    added.launch = std::move(launch);
    added.cell.workload = workload;
  }

  [[nodiscard]] Measured& own_copy() { return cells_[cells_.size() - 2]; }
  [[nodiscard]] Measured& with_planted() { return cells_.back(); }
  [[nodiscard]] bool is_sentinel(const Measured& measured) const { return &measured >= &cells_[cells_.size() - 2]; }
  [[nodiscard]] bool has_open() const { return std::ranges::any_of(cells_, &Measured::open); }
  [[nodiscard]] bool is_wrong() const { return !wrong_.empty(); }

  /// The changes that a cell's verdict rests on.
  [[nodiscard]] static const std::vector<double>& changes(const GateCell& cell) {
    return cell.confirmed ? cell.confirming : cell.screened;
  }

  // ---- Launches ----

  /// `count` launches of what is open, as far as there is time.
  Result<void> launch(std::size_t count, const std::string& what, std::vector<double> GateCell::*into) {
    std::vector<Measured*> measured;
    for (Measured& one : cells_)
      if (one.open || is_sentinel(one)) measured.push_back(&one);
    request_.cells.clear();
    for (const Measured* one : measured) request_.cells.push_back(one->launch);
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = Clock::now();
      if (std::chrono::duration<double>(begin - start_).count() + longest_launch_ > options_.seconds) {
        out_of_time_ = true;
        return {};
      }
      if (progress_) progress_(what, i, count);
      request_.seed = splitmix(options_.seed ^ splitmix(result_.launches));
      const auto launched = launcher_(request_);
      if (!launched) return tl::unexpected(launched.error());
      ++result_.launches;
      take(*launched, measured, into);
      if (is_wrong()) return {};
      longest_launch_ = std::max(longest_launch_, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return {};
  }

  void take(const Launched& launched, const std::vector<Measured*>& measured, std::vector<double> GateCell::*into) {
    wrong_ = launched.lost;
    result_.clock = launched.clock;
    for (std::size_t i = 0; i < launched.cells.size(); ++i) {
      const LaunchedCell& seen = launched.cells[i];
      const PairSummary& summary = seen.summary;
      if (seen.verdict != Verdict::agree) wrong_ = fmt::format("{}: {}", name(seen.verdict), seen.reason);
      result_.pairs_taken += summary.taken;
      result_.pairs_calibrated += summary.calibrated;
      result_.pairs_used += summary.used;
      if (!summary.change || !std::isfinite(*summary.change)) continue;
      (measured[i]->cell.*into).push_back(*summary.change);
      measured[i]->nanoseconds.push_back(summary.baseline_units * launched.nanoseconds_per_unit);
      if (summary.baseline_cycles) measured[i]->cycles.push_back(*summary.baseline_cycles);
    }
  }

  // ---- Verdicts ----

  Result<void> screen() {
    if (const auto launched = launch(options_.screening_launches, "screening", &GateCell::screened); !launched)
      return launched;
    for (Measured& measured : cells_) {
      GateCell& cell = measured.cell;
      set_change(cell, cell.screened);
      measured.open = is_sentinel(measured) || !cell.change || cell.change->median > options_.threshold / 2 ||
                      chance_of_so_many_below(cell.screened, options_.resolution()) > surely_below;
      if (!measured.open) cell.verdict = GateVerdict::pass;
    }
    return {};
  }

  Result<void> confirm(int round) {
    const auto suspects = static_cast<std::size_t>(std::ranges::count_if(
        cells_, [this](const Measured& measured) { return measured.open && !is_sentinel(measured); }));
    if (round == 1) suspects_ = suspects;
    const std::string what =
        suspects == 0 ? "the sentinels" : fmt::format("confirming {} cell{}", suspects, suspects == 1 ? "" : "s");
    for (Measured& measured : cells_) measured.cell.confirmed = measured.cell.confirmed || measured.open;
    if (const auto launched = launch(options_.confirming_launches, what, &GateCell::confirming); !launched)
      return launched;
    const double alpha = options_.alpha / rounds;
    std::vector<Measured*> tested;
    std::vector<double> chances;
    for (Measured& measured : cells_) {
      if (!measured.cell.confirmed) continue;
      set_change(measured.cell, measured.cell.confirming);
      if (is_sentinel(measured)) continue;
      tested.push_back(&measured);
      chances.push_back(chance_of_so_many_above(measured.cell.confirming, options_.threshold));
    }
    const std::vector<bool> slower = holm(chances, alpha);
    for (std::size_t i = 0; i < tested.size(); ++i)
      if (tested[i]->open) settle(*tested[i], slower[i]);
    // The sentinel has to pass the test that is the hardest for a cell.
    GateCell& planted = with_planted().cell;
    settle(with_planted(), chance_of_so_many_above(planted.confirming, options_.threshold) <=
                               alpha / static_cast<double>(std::max<std::size_t>(suspects_, 1)));
    settle(own_copy(), chance_of_so_many_above(own_copy().cell.confirming, options_.threshold) <= alpha);
    return {};
  }

  void settle(Measured& measured, bool slower) {
    GateCell& cell = measured.cell;
    cell.verdict = slower ? GateVerdict::regressed : passes(cell) ? GateVerdict::pass : GateVerdict::inconclusive;
    measured.open = cell.verdict == GateVerdict::inconclusive;
  }

  [[nodiscard]] bool passes(const GateCell& cell) const {
    return cell.change && cell.change->median <= options_.threshold &&
           chance_of_so_many_below(changes(cell), options_.resolution()) <= surely_below;
  }

  // ---- In the end ----

  void conclude() {
    for (Measured& measured : cells_) {
      GateCell& cell = measured.cell;
      if (measured.open) cell.verdict = GateVerdict::inconclusive;
      if (cell.verdict == GateVerdict::inconclusive) cell.reason = why_open(cell);
      if (cell.verdict == GateVerdict::regressed) cell.reason = why_regressed(cell);
      cell.faster = cell.verdict == GateVerdict::pass &&
                    chance_of_so_many_below(changes(cell), -options_.threshold) <= surely_below;
      if (!measured.nanoseconds.empty()) cell.nanoseconds_a_call = median(measured.nanoseconds);
      if (!measured.cycles.empty() && measured.cycles.size() == measured.nanoseconds.size())
        cell.cycles_a_call = median(measured.cycles);
    }
    result_.own_copy = own_copy().cell;
    result_.with_planted = with_planted().cell;
    cells_.resize(cells_.size() - 2);
    for (Measured& measured : cells_) result_.cells.push_back(std::move(measured.cell));
    set_verdict();
  }

  [[nodiscard]] std::string why_open(const GateCell& cell) const {
    const std::vector<double>& seen = changes(cell);
    if (out_of_time_)
      return fmt::format(
          "there was no time for more than {} launches of it: give --seconds more, or choose fewer "
          "cells",
          cell.screened.size() + cell.confirming.size());
    if (seen.size() * 2 < options_.confirming_launches)
      return "other work took the CPU in most pairs: run it where less else runs";
    const auto above = std::ranges::count_if(seen, [this](double change) { return change > options_.threshold; });
    return fmt::format(
        "above the threshold in {} of {} launches, which is neither: run it where less else runs, or "
        "with another --threshold",
        above, seen.size());
  }

  [[nodiscard]] std::string why_regressed(const GateCell& cell) const {
    const auto above =
        std::ranges::count_if(cell.confirming, [this](double change) { return change > options_.threshold; });
    return fmt::format("slower by more than the threshold in {} of {} new launches", above, cell.confirming.size());
  }

  /// The baseline's own copy came out slower or faster: then what the other cells say is not about the candidate.
  [[nodiscard]] bool own_copy_differs() const {
    const GateCell& copy = result_.own_copy;
    return copy.verdict == GateVerdict::regressed ||
           chance_of_so_many_below(copy.confirming, -options_.threshold) <= options_.alpha / rounds;
  }

  void set_verdict() {
    const auto say = [this](GateVerdict verdict, std::string reason) {
      result_.verdict = verdict;
      result_.reason = std::move(reason);
    };
    using enum GateVerdict;
    const std::size_t regressed_cells = result_.count(regressed);
    if (is_wrong()) return say(wrong, wrong_);
    if (own_copy_differs())
      return say(invalid,
                 fmt::format("the baseline differs from its own copy by {:+.2f}%: this machine cannot measure now; run "
                             "it where less else runs",
                             100 * result_.own_copy.change->median));
    if (regressed_cells > 0)
      return say(regressed, fmt::format("{} of {} cells are slower by more than {:g}%", regressed_cells,
                                        result_.cells.size(), 100 * options_.threshold));
    if (result_.with_planted.verdict != regressed)
      return say(out_of_time_ ? inconclusive : invalid,
                 fmt::format("the {:g}% that were planted were not found{}", 100 * result_.planted,
                             out_of_time_ ? ", for want of time: give --seconds more, or choose fewer cells"
                                          : ": this machine cannot measure now; run it where less else runs"));
    if (result_.own_copy.verdict == inconclusive)
      return say(inconclusive, "the baseline against its own copy: " + result_.own_copy.reason);
    if (const std::size_t open = result_.count(inconclusive); open > 0)
      return say(inconclusive, fmt::format("{} of {} cells are neither slower nor surely not; run it where less else "
                                           "runs",
                                           open, result_.cells.size()));
    say(pass,
        fmt::format("no cell of {} is slower by more than {:g}%", result_.cells.size(), 100 * options_.threshold));
  }

  LaunchRequest request_;
  const GateOptions& options_;
  const Launcher& launcher_;
  const GateProgress& progress_;
  const Clock::time_point start_ = Clock::now();
  double longest_launch_ = 0;
  bool out_of_time_ = false;
  std::size_t suspects_ = 0;
  std::string wrong_;
  std::vector<Measured> cells_;
  GateResult result_;
};

}  // namespace

Result<GateResult> compare_backends(const LaunchRequest& request, const std::vector<Workload>& workloads,
                                    const GateOptions& options, const Launcher& launcher,
                                    const GateProgress& progress) {
  return Comparison(request, workloads, options, launcher, progress).run();
}

}  // namespace aesgate
