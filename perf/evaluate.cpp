#include "perf/evaluate.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/shape.h"
#include "perf/floors.h"
#include "perf/series.h"

namespace aesgate {
namespace {

/// What the samples of all cells say together.
struct Totals {
  double shared_below = 0;
  std::vector<double> units_per_cycle;
};

bool usable(const Sample& sample, const Totals& totals) {
  return sample.calibrated && sample.calibrated->instructions_per_cycle >= totals.shared_below;
}

std::vector<RawSample> raw_samples(const std::vector<Sample>& samples, Totals& totals) {
  std::vector<RawSample> raw;
  for (const Sample& sample : samples) {
    raw.push_back({sample.units, {}, sample.round});
    if (!usable(sample, totals)) continue;
    raw.back().units_per_cycle = sample.calibrated->units_per_cycle;
    totals.units_per_cycle.push_back(sample.calibrated->units_per_cycle);
  }
  return raw;
}

/// What samples come to; core cycles only where enough of them were used.
struct Figures {
  Estimate units;
  std::optional<Estimate> cycles;
  std::size_t used = 0;
};
Figures figures_of(const std::vector<RawSample>& raw, double divisor) {
  Figures figures;
  std::vector<double> units, cycles;
  for (const RawSample& sample : raw) {
    units.push_back(sample.units / divisor);
    if (sample.units_per_cycle) cycles.push_back(units.back() / *sample.units_per_cycle);
  }
  figures.used = cycles.size();
  const double part = static_cast<double>(cycles.size()) / static_cast<double>(units.size());
  if (figures.used >= least_samples_used && part >= least_part_used) figures.cycles = estimate(std::move(cycles));
  figures.units = estimate(std::move(units));
  return figures;
}

/// A figure that is not possible is not published.
void compare_with_floor(PerfResult& result) {
  if (!result.floor_cycles_per_byte || !result.cycles_per_byte) return;
  result.reason = why_below_floor(result.cycles_per_byte->median, *result.floor_cycles_per_byte);
  result.below_floor = !result.reason.empty();
}

void evaluate_update(const PerfReport& report, MeasuredCell& cell, Totals& totals) {
  PerfResult& result = cell.result;
  result.raw = raw_samples(cell.samples, totals);
  const Figures figures =
      figures_of(result.raw, static_cast<double>(result.bytes) * static_cast<double>(result.calls_per_sample));
  result.samples_taken = result.raw.size();
  result.samples_used = figures.used;
  result.units_per_byte = figures.units;
  result.cycles_per_byte = figures.cycles;
  result.nanoseconds_per_byte = figures.units.median * report.clock.nanoseconds_per_unit;
  compare_with_floor(result);
}

KeySetup evaluate_key_setup(const PerfReport& report, const MeasuredCell& cell, Totals& totals) {
  const std::vector<RawSample> raw = raw_samples(cell.samples, totals);
  const Figures figures = figures_of(raw, static_cast<double>(cell.result.calls_per_sample));
  return {raw.size(), figures.used, figures.units, figures.units.median * report.clock.nanoseconds_per_unit,
          figures.cycles};
}

bool comparable(const PerfResult& a, const PerfResult& b) {
  return a.timed() && b.timed() && a.shape == b.shape && a.bytes == b.bytes && a.in_place == b.in_place &&
         a.offset == b.offset;
}

void compare_with_fastest(std::vector<PerfResult>& results) {
  for (PerfResult& result : results) {
    bool all_have_cycles = true;
    for (const PerfResult& other : results)
      if (comparable(result, other)) all_have_cycles = all_have_cycles && other.cycles_per_byte;
    const auto figure = [&](const PerfResult& r) {
      return all_have_cycles ? r.cycles_per_byte->median : r.units_per_byte.median;
    };
    double fastest = std::numeric_limits<double>::infinity();
    for (const PerfResult& other : results)
      if (comparable(result, other)) fastest = std::min(fastest, figure(other));
    if (result.timed()) result.ratio_to_fastest = figure(result) / fastest;
  }
}

/// Its calls may be waited for: that the thread gives its CPU away is then no disturbance.
bool waits(const PerfResult& result) { return result.elapsed.has_value(); }

Window judge_window(const PerfReport& report, bool can_tell) {
  if (!can_tell || report.timed() == 0) return Window::unknown;
  const bool all_have_cycles = std::ranges::all_of(
      report.results, [](const PerfResult& r) { return !r.timed() || waits(r) || r.cycles_per_byte.has_value(); });
  return all_have_cycles && report.samples_used * 2 >= report.samples_taken ? Window::clean : Window::contended;
}

std::vector<double> all_widths(std::span<const MeasuredCell> cells) {
  std::vector<double> widths;
  for (const MeasuredCell& cell : cells)
    for (const Sample& sample : cell.samples)
      if (sample.calibrated) widths.push_back(sample.calibrated->instructions_per_cycle);
  return widths;
}

}  // namespace

void evaluate(PerfReport& report, std::span<MeasuredCell> cells, bool was_calibrated) {
  report.best_instructions_per_cycle = best_width(all_widths(cells));
  Totals totals{shared_part * report.best_instructions_per_cycle, {}};
  std::vector<std::pair<const PerfResult*, KeySetup>> setups;
  for (MeasuredCell& cell : cells) {
    const bool is_update = cell.timed == Timed::update;
    if (cell.result.timed()) {
      if (is_update)
        evaluate_update(report, cell, totals);
      else
        setups.emplace_back(&cell.result, evaluate_key_setup(report, cell, totals));
      if (!waits(cell.result)) report.samples_taken += cell.samples.size();
      for (const Sample& sample : cell.samples) {
        if (waits(cell.result)) continue;
        report.samples_agreed += sample.calibrated.has_value();
        report.samples_used += usable(sample, totals);
      }
    }
    // A key set-up that could not be timed is one of a backend whose calls say why.
    if (is_update || is_failure(cell.result.verdict)) report.results.push_back(std::move(cell.result));
  }
  compare_with_fastest(report.results);
  make_series(report);
  for (PerfSeries& series : report.series)
    for (const auto& [result, setup] : setups)
      if (!series.wrong && result->backend == series.backend && result->shape == series.shape) series.key_setup = setup;
  if (!totals.units_per_cycle.empty())
    report.core_ghz = 1 / (median(std::move(totals.units_per_cycle)) * report.clock.nanoseconds_per_unit);
  report.window = judge_window(report, was_calibrated);
}

std::string cycles_source(const ClockDescription& clock, const CalibrationProbes* probes) {
  if (probes == nullptr) return "none: this architecture has no calibration chains here; times only";
  const std::string chains = fmt::format("chains of dependent {} and {} around each sample", probes->first_chain.name,
                                         probes->second_chain.name);
  return clock.counts_core_cycles ? "counted; checked by " + chains : "from " + chains;
}

}  // namespace aesgate
