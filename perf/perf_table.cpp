#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "perf/perf_formats.h"

namespace aesgate {
namespace {

std::string figure(double value) {
  const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : value >= 1 ? 3 : 4;
  return fmt::format("{:.{}f}", value, decimals);
}

/// With no more digits than its interval supports: the last one shown is where the first one of half its width is. "~0"
/// where the interval includes 0.
std::string as_sure(const Figure& figure) {
  if (figure.low <= 0 && figure.high >= 0) return "~0";
  const double size = std::abs(figure.value), half = (figure.high - figure.low) / 2;
  const int most = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4;
  const int supported = half > 0 ? -static_cast<int>(std::floor(std::log10(half))) : most;
  if (supported >= 0) return fmt::format("{:.{}f}", figure.value, std::min(supported, most));
  const double step = std::pow(10, -supported);
  return fmt::format("{:.0f}", std::round(figure.value / step) * step);
}

/// The middle half's width against the median.
std::string spread(const Estimate& estimate) {
  return fmt::format("{:.1f}%", 100 * (estimate.upper_quartile - estimate.lower_quartile) / estimate.median);
}

std::string percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? "none" : fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// "ticks", "core cycles", "ns".
std::string units(const ClockDescription& clock) { return clock.unit == "ns" ? clock.unit : clock.unit + "s"; }

/// As many cells as there are columns, or fewer: then the last one is a sentence, as long as it likes.
using Row = std::vector<std::string>;

/// The first `left` columns to the left, the others to the right.
std::string aligned(const std::vector<Row>& rows, std::size_t left) {
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row.size() == columns || i + 1 < row.size()) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      if (row.size() < columns && i + 1 == row.size())
        line += row[i];
      else
        line += i < left ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// Why there is no figure.
std::string why_not(const PerfResult& result) {
  return result.below_floor ? "not measured: " + result.reason
                            : fmt::format("not timed, {}: {}", name(result.verdict), result.reason);
}

Row cell_row(const PerfReport& report, const PerfResult& result) {
  Row cells{result.backend, std::string(name(result.shape.mode)), std::string(name(result.shape.direction)),
            std::to_string(bits(result.shape.key_size)), std::to_string(result.bytes)};
  if (!result.timed()) {  // no figure may stand beside a backend that is wrong
    cells.push_back(why_not(result));
    return cells;
  }
  cells.resize(9);
  if (result.cycles_per_byte) {
    cells[5] = fmt::format("{:.1f}", result.cycles_per_byte->median * static_cast<double>(result.bytes));
    cells[6] = figure(result.cycles_per_byte->median);
    cells[7] = spread(*result.cycles_per_byte);
    cells[8] = result.floor_cycles_per_byte
                   ? fmt::format("{:.3f}", result.cycles_per_byte->median / *result.floor_cycles_per_byte)
                   : "-";
  } else {
    cells[6] = report.window == Window::unknown ? "unknown" : "contended";
  }
  cells.push_back(figure(result.units_per_byte.median));
  cells.push_back(figure(result.nanoseconds_per_byte));
  cells.push_back(fmt::format("{}/{}", result.samples_used, result.samples_taken));
  cells.push_back(fmt::format("{:.2f}x", result.ratio_to_fastest));
  return cells;
}

/// A line a cell, with all that is known of it.
std::string cell_table(const PerfReport& report) {
  std::vector<Row> rows{{"backend", "mode", "direction", "key", "bytes", "cycles/call", "cycles/byte", "spread",
                         "x floor", units(report.clock) + "/byte", "ns/byte", "samples", "vs fastest"}};
  for (const PerfResult& result : report.results) rows.push_back(cell_row(report, result));
  return aligned(rows, 4) +
         fmt::format(
             "\nMedians; in a serial mode each call waits for the one before. spread: the middle half's width against "
             "the median;\n"
             "x floor: against what the AES instructions of the backend's unit alone take, by the number and latency "
             "of "
             "rounds;\n"
             "samples: used for cycles / taken; vs fastest: among the same shape and size, in cycles if all have them, "
             "else in {}.\n",
             units(report.clock));
}

/// What is not in cycles is marked by the first letter of its unit.
std::string in_cycles_or_units(const PerfReport& report, const std::optional<double>& cycles, double in_units) {
  return cycles ? figure(*cycles) : figure(in_units) + report.clock.unit.front();
}

/// The placement, where it is not the plain one.
std::string placement(const PerfSeries& series) {
  std::string text = series.in_place ? ", in place" : "";
  if (series.offset != 0) text += fmt::format(", buffers at {}", series.offset);
  return text;
}

bool same_block(const PerfSeries& a, const PerfSeries& b) {
  return a.shape == b.shape && a.in_place == b.in_place && a.offset == b.offset;
}

bool is_of(const PerfResult& result, const PerfSeries& series) {
  return result.backend == series.backend && result.shape == series.shape && result.in_place == series.in_place &&
         result.offset == series.offset;
}

Row series_row(const PerfReport& report, const PerfSeries& series, const std::set<std::size_t>& sizes) {
  Row row{series.backend};
  for (const PerfResult& result : report.results)
    if (is_of(result, series) && is_failure(result.verdict)) {
      row.push_back(fmt::format("{} ({} bytes a call)", why_not(result), result.bytes));
      return row;
    }
  for (const std::size_t bytes : sizes) {
    row.emplace_back("-");
    for (const std::size_t cell : series.cells)
      if (const PerfResult& result = report.results[cell]; result.bytes == bytes)
        row.back() = in_cycles_or_units(
            report, result.cycles_per_byte ? std::optional(result.cycles_per_byte->median) : std::nullopt,
            result.units_per_byte.median);
  }
  row.resize(row.size() + 6, "-");
  const auto last = row.end() - 6;
  if (series.units) {
    const Figure& bulk = (series.cycles ? series.cycles : series.units)->per_byte;
    last[0] = in_cycles_or_units(report, series.cycles ? std::optional(bulk.value) : std::nullopt, bulk.value);
    last[1] = fmt::format("{:.2f}%", 50 * (bulk.high - bulk.low) / bulk.value);
    last[3] = series.cycles ? as_sure(series.cycles->call) : as_sure(series.units->call) + report.clock.unit.front();
    last[5] = fmt::format("{:.2f}x", series.ratio_to_fastest);
  }
  if (series.cycles && series.floor_cycles_per_byte)
    last[2] = fmt::format("{:.3f}", series.cycles->per_byte.value / *series.floor_cycles_per_byte);
  if (const auto& setup = series.key_setup)
    last[4] = in_cycles_or_units(report, setup->cycles ? std::optional(setup->cycles->median) : std::nullopt,
                                 setup->units.median);
  return row;
}

/// Is the cost of a call, as it is shown, surely below 0?
bool has_negative_call(const PerfSeries& series) {
  return series.units && (series.cycles ? series.cycles : series.units)->call.high < 0;
}

/// The series of one shape and placement.
std::string block(const PerfReport& report, const PerfSeries& first) {
  std::set<std::size_t> sizes;
  for (const PerfSeries& series : report.series)
    if (same_block(series, first))
      for (const std::size_t cell : series.cells) sizes.insert(report.results[cell].bytes);
  Row heading{"bytes a call:"};
  for (const std::size_t bytes : sizes) heading.push_back(std::to_string(bytes));
  for (const char* column : {"bulk", "+-", "x floor", "call", "key set-up", "vs fastest"}) heading.emplace_back(column);
  std::vector<Row> rows{heading};
  for (const PerfSeries& series : report.series)
    if (same_block(series, first) && (series.wrong || !series.cells.empty()))
      rows.push_back(series_row(report, series, sizes));
  if (rows.size() == 1) return {};
  std::string text = fmt::format("{}{}\n{}", name(first.shape), placement(first), aligned(rows, 1));
  for (const PerfSeries& series : report.series)
    if (same_block(series, first) && series.below_floor)
      text += fmt::format("{}: no bulk: {}\n", series.backend, series.reason);
  return text + "\n";
}

/// What was not timed and is no failure: once for a backend and reason.
std::string not_timed_lines(const PerfReport& report) {
  std::string text;
  std::set<std::string> said;
  for (const PerfResult& result : report.results) {
    if (result.timed() || is_failure(result.verdict)) continue;
    std::string line = result.below_floor ? fmt::format("{} {}, {} bytes: {}", result.backend, name(result.shape),
                                                        result.bytes, why_not(result))
                       : result.verdict == Verdict::unsupported
                           ? fmt::format("{} {}: {}", result.backend, name(result.shape), why_not(result))
                           : fmt::format("{}: {}", result.backend, why_not(result));
    if (said.insert(line).second) text += line + "\n";
  }
  return text.empty() ? text : text + "\n";
}

/// A line a backend, over its sizes.
std::string series_table(const PerfReport& report) {
  std::string text;
  std::vector<const PerfSeries*> done;
  bool negative_call = false;
  for (const PerfSeries& series : report.series) {
    negative_call = negative_call || has_negative_call(series);
    if (std::ranges::any_of(done, [&](const PerfSeries* other) { return same_block(*other, series); })) continue;
    done.push_back(&series);
    text += block(report, series);
  }
  const bool has_blocks = !text.empty();
  text += not_timed_lines(report);
  if (!has_blocks) return text;
  text += fmt::format(
      "Core cycles a byte, medians; with a letter behind it in {0}, where cycles could not be told. In a serial mode "
      "each\n"
      "call waits for the one before. bulk: the slope over the sizes from a sixteenth of the largest on, and half its "
      "95%\n"
      "interval; x floor: against what the AES instructions of the backend's unit alone take; call: what a call costs\n"
      "beside its bytes, to the digit that its 95% interval supports, ~0 if that includes 0; key set-up: start() and\n"
      "finish(), both in cycles; vs fastest: of the slopes, in cycles if all have them, else in {0}.\n",
      units(report.clock));
  if (negative_call)
    text +=
        "A call below 0 is no time that anything took: small calls took less than bulk's slope makes of their bytes, "
        "as\n"
        "where what they work on lies nearer, or the slope is of sizes at which something else is slow.\n";
  return text;
}

std::string elapsed_lines(const PerfReport& report) {
  std::string text;
  for (const PerfResult& result : report.results)
    if (result.timed() && result.elapsed)
      text +=
          fmt::format("  {:<10} {:<22} {:>8} bytes  {} ns/byte, {:.1f} MB/s; this thread had the CPU {:.0f}% of it\n",
                      result.backend, name(result.shape), result.bytes, figure(result.elapsed->nanoseconds_per_byte),
                      1e3 / result.elapsed->nanoseconds_per_byte, 100 * result.elapsed->cpu_share);
  if (text.empty()) return text;
  return "\nBy the wall clock, for who may have done the work elsewhere:\n" + text;
}

std::string clock_lines(const PerfReport& report) {
  const ClockDescription& clock = report.clock;
  std::string text = fmt::format("clock    {}\n", clock.name);
  text +=
      fmt::format("         unit {}{}: {:.4f} ns; step at most {:.0f} ({:.0f} ns), overhead {:.1f} {}, subtracted\n",
                  clock.unit, clock.unit == "tick" ? ", which is not a core cycle" : "", clock.nanoseconds_per_unit,
                  clock.step, clock.step * clock.nanoseconds_per_unit, clock.overhead, units(clock));
  if (!clock.why_not_better.empty()) text += fmt::format("         {}\n", clock.why_not_better);
  text += fmt::format("cycles   {}", report.cycles_source);
  if (report.core_ghz) text += fmt::format("; core at {:.3f} GHz", *report.core_ghz);
  return text + "\nfloors   " + report.floors_source + "\n";
}

std::string window_lines(const PerfReport& report) {
  if (report.samples_taken == 0) return "window   nothing was timed\n";
  std::string text = fmt::format("window   {}", name(report.window));
  if (report.window == Window::unknown) return text + ": nothing here tells whether the core was shared\n";
  text += fmt::format(": the calibration agreed in {} of {} samples; {} were used",
                      percent(report.samples_agreed, report.samples_taken), report.samples_taken,
                      percent(report.samples_used, report.samples_taken));
  if (report.best_instructions_per_cycle > 0)
    text += fmt::format(",\n         those in which the core was as wide as at its best, {:.2f} NOPs a cycle",
                        report.best_instructions_per_cycle);
  text += "\n";
  if (report.window == Window::contended)
    text += fmt::format(
        "         something shared the core, or its frequency moved: where cycles are unknown, {} and ratios\n"
        "         hold for this window only; where they are known, they are from the samples that were not disturbed\n",
        units(report.clock));
  return text;
}

/// What is emulated, with the clocks that its unit would take.
std::string modelled_lines(const PerfReport& report) {
  std::string text;
  for (const PerfResult& result : report.results)
    if (result.timed() && result.modelled_clocks_per_byte)
      text += fmt::format("  {:<10} {:<22} {:>8} bytes  {}\n", result.backend, name(result.shape), result.bytes,
                          *result.modelled_clocks_per_byte > 0
                              ? fmt::format("modelled: {:.3f} clocks/byte", *result.modelled_clocks_per_byte)
                              : std::string("no clocks are published for it"));
  if (text.empty()) return text;
  return "\nEMULATED: the times above of these are the emulator's; modelled by the unit's published clocks:\n" + text;
}

std::string surroundings_lines(const PerfReport& report) {
  std::string text = fmt::format("machine  {}\n", to_text(report.surroundings));
  for (const std::string& bend : what_bends(report.surroundings)) text += "         " + bend + "\n";
  return text;
}

}  // namespace

std::string to_table(const PerfReport& report) {
  const Host& host = report.host;
  std::string text = fmt::format("CPU      {} ({}, {})\n", host.cpu, host.architecture, host.system);
  if (!host.cpu_mask.empty()) text += "         " + hidden_features(host);
  text += report.cpu >= 0 ? fmt::format("         one thread, pinned to CPU {} (of {})", report.cpu, host.cpus)
                          : std::string("         one thread, which could not be pinned to a CPU");
  text += fmt::format("; compiled by {}\n", host.compiler) + surroundings_lines(report) + clock_lines(report) +
          window_lines(report) + "\n";
  if (!report.build_warning.empty()) text += fmt::format("WARNING: {}\n\n", report.build_warning);
  const bool over_sizes =
      std::ranges::any_of(report.series, [](const PerfSeries& series) { return series.cells.size() > 1; });
  if (report.timed() == 0 && !report.has_failure())
    text += not_timed_lines(report);
  else
    text += over_sizes ? series_table(report) : cell_table(report);
  return text + elapsed_lines(report) + modelled_lines(report);
}

}  // namespace aesgate
