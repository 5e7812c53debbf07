#include "perf/perf_report.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/json_head.h"

namespace aesgate {
namespace {

std::string figure(double value) {
  const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : value >= 1 ? 3 : 4;
  return fmt::format("{:.{}f}", value, decimals);
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

using Json = nlohmann::ordered_json;
using Row = std::array<std::string, 13>;
constexpr std::size_t text_columns = 4;  // these to the left, figures to the right

Row heading(const PerfReport& report) {
  return {"backend",     "mode",        "direction", "key",     "bytes",
          "cycles/call", "cycles/byte", "spread",    "x floor", units(report.clock) + "/byte",
          "ns/byte",     "samples",     "vs fastest"};
}

Row row(const PerfReport& report, const PerfResult& result) {
  Row cells{result.backend, std::string(name(result.shape.mode)), std::string(name(result.shape.direction)),
            std::to_string(bits(result.shape.key_size)), std::to_string(result.bytes)};
  if (!result.timed()) return cells;
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
  cells[9] = figure(result.units_per_byte.median);
  cells[10] = figure(result.nanoseconds_per_byte);
  cells[11] = fmt::format("{}/{}", result.samples_used, result.samples_taken);
  cells[12] = fmt::format("{:.2f}x", result.ratio_to_fastest);
  return cells;
}

std::string lines(const std::vector<Row>& rows, const std::vector<PerfResult>& results) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& cells : rows)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    const PerfResult* result = i == 0 ? nullptr : &results[i - 1];
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const char* gap = column == 0 ? "" : "  ";
      line += column < text_columns ? fmt::format("{}{:<{}}", gap, rows[i][column], widths[column])
                                    : fmt::format("{}{:>{}}", gap, rows[i][column], widths[column]);
      // No figure may stand beside a backend that is wrong.
      if (result != nullptr && !result->timed() && column == text_columns) {
        line += result->below_floor ? "  not measured: " + result->reason
                                    : fmt::format("  not timed, {}: {}", name(result->verdict), result->reason);
        break;
      }
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
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
      text += fmt::format("  {:<10} {:<22} {:>8} bytes  modelled: {:.3f} clocks/byte\n", result.backend,
                          name(result.shape), result.bytes, *result.modelled_clocks_per_byte);
  if (text.empty()) return text;
  return "\nEMULATED: the times above of these are the emulator's; modelled by the unit's published clocks:\n" + text;
}

Json to_json(const Estimate& estimate) {
  return {{"median", estimate.median},
          {"lower_quartile", estimate.lower_quartile},
          {"upper_quartile", estimate.upper_quartile},
          {"low", estimate.low},
          {"high", estimate.high},
          {"confidence", estimate.confidence},
          {"median_absolute_deviation", estimate.deviation},
          {"samples", estimate.samples}};
}

Json to_json(const PerfResult& result) {
  Json json{{"backend", result.backend},
            {"mode", name(result.shape.mode)},
            {"direction", name(result.shape.direction)},
            {"key_bits", bits(result.shape.key_size)},
            {"bytes_per_call", result.bytes},
            {"in_place", result.in_place},
            {"verdict", name(result.verdict)}};
  json["floor_core_cycles_per_byte"] =
      result.floor_cycles_per_byte ? Json(*result.floor_cycles_per_byte) : Json(nullptr);
  json["below_floor"] = result.below_floor;
  if (!result.timed()) {
    json["reason"] = result.reason;
    return json;
  }
  json["calls_per_sample"] = result.calls_per_sample;
  json["samples_taken"] = result.samples_taken;
  json["samples_used"] = result.samples_used;
  json["clock_units_per_byte"] = to_json(result.units_per_byte);
  json["nanoseconds_per_byte"] = result.nanoseconds_per_byte;
  json["core_cycles_per_byte"] = result.cycles_per_byte ? to_json(*result.cycles_per_byte) : Json(nullptr);
  json["ratio_to_floor"] = result.floor_cycles_per_byte && result.cycles_per_byte
                               ? Json(result.cycles_per_byte->median / *result.floor_cycles_per_byte)
                               : Json(nullptr);
  json["ratio_to_fastest"] = result.ratio_to_fastest;
  json["emulated"] = result.modelled_clocks_per_byte.has_value();
  if (result.modelled_clocks_per_byte) json["modelled_clocks_per_byte"] = *result.modelled_clocks_per_byte;
  return json;
}

}  // namespace

std::string_view name(Window window) {
  static constexpr std::array<std::string_view, 3> names{"clean", "contended", "unknown"};
  return names[static_cast<std::size_t>(window)];
}

double PerfReport::agreement() const {
  return samples_taken == 0 ? 0 : static_cast<double>(samples_agreed) / static_cast<double>(samples_taken);
}

bool PerfReport::has_failure() const {
  return std::ranges::any_of(results, [](const PerfResult& result) { return is_failure(result.verdict); });
}

bool PerfReport::has_below_floor() const { return std::ranges::any_of(results, &PerfResult::below_floor); }

std::size_t PerfReport::timed() const {
  return static_cast<std::size_t>(std::ranges::count_if(results, &PerfResult::timed));
}

int exit_status(const PerfReport& report) {
  if (report.has_failure()) return 1;
  return report.timed() > 0 && !report.has_below_floor() ? 0 : 3;
}

std::string to_table(const PerfReport& report) {
  const Host& host = report.host;
  std::string text = fmt::format("CPU      {} ({}, {})\n", host.cpu, host.architecture, host.system);
  if (!host.cpu_mask.empty()) text += "         " + hidden_features(host);
  text += report.cpu >= 0 ? fmt::format("         one thread, pinned to CPU {} (of {})", report.cpu, host.cpus)
                          : std::string("         one thread, which could not be pinned to a CPU");
  text += fmt::format("; compiled by {}\n", host.compiler) + clock_lines(report) + window_lines(report) + "\n";
  if (!report.build_warning.empty()) text += fmt::format("WARNING: {}\n\n", report.build_warning);
  std::vector<Row> rows{heading(report)};
  for (const PerfResult& result : report.results) rows.push_back(row(report, result));
  text += lines(rows, report.results);
  text += fmt::format(
      "\nMedians; in a serial mode each call waits for the one before. spread: the middle half's width against the "
      "median;\n"
      "x floor: against what the AES instructions of the backend's unit alone take, by the number and latency of "
      "rounds;\n"
      "samples: used for cycles / taken; vs fastest: among the same shape and size, in cycles if all have them, else "
      "in {}.\n",
      units(report.clock));
  return text + modelled_lines(report);
}

nlohmann::ordered_json to_json(const PerfReport& report) {
  const ClockDescription& clock = report.clock;
  Json json = json_head("perf", report.host);
  json["build_warning"] = report.build_warning;
  json["cpu"] = report.cpu;
  json["clock"] = {{"name", clock.name},
                   {"unit", clock.unit},
                   {"counts_core_cycles", clock.counts_core_cycles},
                   {"why_not_better", clock.why_not_better},
                   {"nanoseconds_per_unit", clock.nanoseconds_per_unit},
                   {"step_at_most_in_units", clock.step},
                   {"overhead_in_units", clock.overhead}};
  json["cycles_source"] = report.cycles_source;
  json["floors_source"] = report.floors_source;
  json["core_ghz"] = report.core_ghz ? Json(*report.core_ghz) : Json(nullptr);
  json["window"] = name(report.window);
  json["samples_taken"] = report.samples_taken;
  json["samples_agreed"] = report.samples_agreed;
  json["samples_used"] = report.samples_used;
  json["agreement"] = report.agreement();
  json["best_instructions_per_cycle"] = report.best_instructions_per_cycle;
  json["results"] = Json::array();
  for (const PerfResult& result : report.results) json["results"].push_back(to_json(result));
  return json;
}

}  // namespace aesgate
