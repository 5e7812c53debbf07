#include "perf/evaluate.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/shape.h"
#include "perf/floors.h"

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

double bytes_per_sample(const PerfResult& result) {
  return static_cast<double>(result.bytes) * static_cast<double>(result.calls_per_sample);
}

/// A figure that is not possible is not published.
void compare_with_floor(PerfResult& result) {
  if (!result.floor_cycles_per_byte || !result.cycles_per_byte) return;
  const double measured = result.cycles_per_byte->median;
  if (measured >= least_part_of_floor * *result.floor_cycles_per_byte) return;
  result.below_floor = true;
  result.reason =
      fmt::format("{:.4f} cycles/byte came out, which is below {} of the floor, {:.4f}: the measurement is wrong",
                  measured, least_part_of_floor, *result.floor_cycles_per_byte);
}

void evaluate_cell(const PerfReport& report, MeasuredCell& cell, Totals& totals) {
  PerfResult& result = cell.result;
  std::vector<double> units;
  std::vector<double> cycles;
  for (const Sample& sample : cell.samples) {
    units.push_back(sample.units / bytes_per_sample(result));
    if (!usable(sample, totals)) continue;
    cycles.push_back(units.back() / sample.calibrated->units_per_cycle);
    totals.units_per_cycle.push_back(sample.calibrated->units_per_cycle);
  }
  result.samples_taken = units.size();
  result.samples_used = cycles.size();
  result.units_per_byte = estimate(std::move(units));
  result.nanoseconds_per_byte = result.units_per_byte.median * report.clock.nanoseconds_per_unit;
  const double part = static_cast<double>(result.samples_used) / static_cast<double>(result.samples_taken);
  if (result.samples_used >= least_samples_used && part >= least_part_used)
    result.cycles_per_byte = estimate(std::move(cycles));
  compare_with_floor(result);
}

bool comparable(const PerfResult& a, const PerfResult& b) {
  return a.timed() && b.timed() && a.shape == b.shape && a.bytes == b.bytes && a.in_place == b.in_place;
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

Window judge_window(const PerfReport& report, bool can_tell) {
  if (!can_tell || report.timed() == 0) return Window::unknown;
  const bool all_have_cycles = std::ranges::all_of(
      report.results, [](const PerfResult& r) { return !r.timed() || r.cycles_per_byte.has_value(); });
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
  for (MeasuredCell& cell : cells) {
    if (cell.result.timed()) {
      evaluate_cell(report, cell, totals);
      report.samples_taken += cell.result.samples_taken;
      report.samples_used += cell.result.samples_used;
      report.samples_agreed += static_cast<std::size_t>(
          std::ranges::count_if(cell.samples, [](const Sample& sample) { return sample.calibrated.has_value(); }));
    }
    report.results.push_back(cell.result);
  }
  compare_with_fastest(report.results);
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
