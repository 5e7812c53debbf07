#include "perf/series.h"

#include <algorithm>
#include <limits>

#include "perf/floors.h"

namespace aesgate {
namespace {

bool belongs(const PerfResult& result, const PerfSeries& series) {
  return result.backend == series.backend && result.shape == series.shape && result.in_place == series.in_place &&
         result.offset == series.offset;
}

PerfSeries& series_of(const PerfResult& result, std::vector<PerfSeries>& all) {
  const auto known = std::ranges::find_if(all, [&](const PerfSeries& series) { return belongs(result, series); });
  if (known != all.end()) return *known;
  PerfSeries& series = all.emplace_back();
  series.backend = result.backend;
  series.unit = result.unit;
  series.shape = result.shape;
  series.in_place = result.in_place;
  series.offset = result.offset;
  series.floor_cycles_per_byte = result.floor_cycles_per_byte;
  return series;
}

/// The times of calls, in cycles if `in_cycles`: then of the cells alone that have them.
std::vector<CallTimes> call_times(const PerfReport& report, const PerfSeries& series, bool in_cycles) {
  std::vector<CallTimes> sizes;
  for (const std::size_t cell : series.cells) {
    const PerfResult& result = report.results[cell];
    if (in_cycles && !result.cycles_per_byte) continue;
    CallTimes& size = sizes.emplace_back();
    size.bytes = result.bytes;
    for (const RawSample& sample : result.raw) {
      if (in_cycles && !sample.units_per_cycle) continue;
      const double per_unit = in_cycles ? *sample.units_per_cycle : 1;
      size.times.push_back({sample.units / per_unit / static_cast<double>(result.calls_per_sample), sample.round});
    }
  }
  return sizes;
}

void compare_with_floor(PerfSeries& series) {
  if (!series.cycles || !series.floor_cycles_per_byte) return;
  if (!floor_holds_for_slope(series.shape, series.cycles->from_bytes)) {
    series.floor_cycles_per_byte.reset();
    return;
  }
  series.reason = why_below_floor(series.cycles->per_byte.value, *series.floor_cycles_per_byte);
  series.below_floor = !series.reason.empty();
  if (!series.below_floor) return;
  series.units.reset();
  series.cycles.reset();
}

bool comparable(const PerfSeries& a, const PerfSeries& b) {
  return a.units && b.units && a.shape == b.shape && a.in_place == b.in_place && a.offset == b.offset;
}

void compare_with_fastest(std::vector<PerfSeries>& all) {
  for (PerfSeries& series : all) {
    if (!series.units) continue;
    const bool all_have_cycles = std::ranges::all_of(
        all, [&](const PerfSeries& other) { return !comparable(series, other) || other.cycles.has_value(); });
    const auto slope = [&](const PerfSeries& s) {
      return all_have_cycles ? s.cycles->per_byte.value : s.units->per_byte.value;
    };
    double fastest = std::numeric_limits<double>::infinity();
    for (const PerfSeries& other : all)
      if (comparable(series, other)) fastest = std::min(fastest, slope(other));
    series.ratio_to_fastest = slope(series) / fastest;
  }
}

}  // namespace

void make_series(PerfReport& report) {
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    PerfSeries& series = series_of(report.results[i], report.series);
    if (report.results[i].timed()) series.cells.push_back(i);
    series.wrong = series.wrong || is_failure(report.results[i].verdict);
  }
  for (PerfSeries& series : report.series) {
    std::ranges::sort(series.cells, {}, [&](std::size_t cell) { return report.results[cell].bytes; });
    if (series.wrong) continue;
    series.units = fit_line(call_times(report, series, false));
    series.cycles = fit_line(call_times(report, series, true));
    // Two lines of one series are of the same sizes, or the second is left out.
    if (series.cycles &&
        (series.cycles->from_bytes != series.units->from_bytes || series.cycles->to_bytes != series.units->to_bytes))
      series.cycles.reset();
    compare_with_floor(series);
  }
  compare_with_fastest(report.series);
}

}  // namespace aesgate
