#include "perf/gate_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "perf/gate_counts.h"
#include "perf/gate_matrix.h"
#include "perf/statistics.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

/// More would hide the verdict; the JSON has all.
constexpr std::size_t most_cells = 24;

Tone tone_of(GateVerdict verdict) { return verdict == GateVerdict::pass ? Tone::good : Tone::bad; }

std::string words_of(const GateCell& cell) { return cell.faster ? "faster" : std::string(name(cell.verdict)); }

std::vector<Cell> timed_row(const GateCell& cell) {
  const auto change = cell.change.value_or(GateCell::Change{});
  return {{name(cell.workload)},
          {cell.change ? percent(change.median) : "-"},
          {cell.change ? fmt::format("{} to {}", percent(change.low), percent(change.high)) : "-"},
          {cell.cycles_a_call ? fmt::format("{:.1f} cycles", *cell.cycles_a_call)
           : cell.change      ? fmt::format("{:.1f} ns", cell.nanoseconds_a_call)
                              : "-"},
          {words_of(cell), tone_of(cell.verdict)}};
}

std::vector<Cell> counted_row(const GateCell& cell) {
  const bool counted = cell.counts && cell.counts->counted();
  return {{name(cell.workload)},
          {counted ? std::to_string(cell.counts->baseline) : "-"},
          {counted ? std::to_string(cell.counts->candidate) : "-"},
          {counts_text(cell)},
          {words_of(cell), tone_of(cell.verdict)}};
}

std::string cells_text(const GateResult& result, bool colour) {
  const std::vector<const GateCell*> cells = remarkable_cells(result);
  if (cells.empty()) return {};
  TextTable table;
  const bool timed = result.launches > 0;
  if (timed)
    table.add({{"cell"}, {"change"}, {"95% interval"}, {"baseline"}, {"verdict"}});
  else
    table.add({{"cell"}, {"instructions"}, {"candidate"}, {"change"}, {"verdict"}});
  for (std::size_t i = 0; i < std::min(cells.size(), most_cells); ++i)
    table.add(timed ? timed_row(*cells[i]) : counted_row(*cells[i]));
  std::string text = table.text(colour) + '\n';
  if (cells.size() > most_cells) text += fmt::format("… and {} more, which --json has\n\n", cells.size() - most_cells);
  std::vector<std::string> said;
  for (const GateCell* cell : cells) {
    if (cell->verdict != GateVerdict::inconclusive || std::ranges::find(said, cell->reason) != said.end()) continue;
    said.push_back(cell->reason);
    if (said.size() <= 3) text += wrapped("inconclusive: ", cell->reason);
  }
  return text;
}

std::string groups_text(const GateResult& result, bool colour) {
  TextTable table;
  table.add({{"mode and direction"}, {"cells"}, {"pass"}, {"least change"}, {"median"}, {"most"}});
  for (const GateGroup& group : groups_of(result))
    table.add({{fmt::format("{} {}", name(group.mode), name(group.direction))},
               {std::to_string(group.cells)},
               {std::to_string(group.passed)},
               {percent(group.least)},
               {percent(group.median)},
               {percent(group.most)}});
  return table.empty() ? "" : table.text(colour) + '\n';
}

std::string title_of(const GateResult& result) {
  return result.baseline == result.candidate ? result.baseline
                                             : fmt::format("{} -> {}", result.baseline, result.candidate);
}

}  // namespace

std::string percent(double part) {
  const double value = 100 * part;
  // No "-0.00%".
  return std::abs(value) < 0.005 ? "+0.00%" : fmt::format("{:+.2f}%", value);
}

std::string text_of(const GateCell::Change& change) {
  return fmt::format("{} [{}, {}]", percent(change.median), percent(change.low), percent(change.high));
}

std::vector<const GateCell*> remarkable_cells(const GateResult& result) {
  std::vector<const GateCell*> cells;
  for (const GateCell& cell : result.cells)
    if (cell.verdict != GateVerdict::pass || cell.faster) cells.push_back(&cell);
  std::ranges::stable_sort(cells, std::ranges::greater{},
                           [](const GateCell* cell) { return cell->change ? cell->change->median : 0; });
  return cells;
}

std::vector<GateGroup> groups_of(const GateResult& result) {
  std::vector<GateGroup> groups;
  std::vector<double> changes;
  const auto finish = [&] {
    if (groups.empty() || changes.empty()) return;
    groups.back().least = std::ranges::min(changes);
    groups.back().most = std::ranges::max(changes);
    groups.back().median = median(std::move(changes));
    changes.clear();
  };
  for (const GateCell& cell : result.cells) {
    const auto& [mode, direction, key_size] = cell.workload.shape;
    if (groups.empty() || groups.back().mode != mode || groups.back().direction != direction) {
      finish();
      groups.push_back({mode, direction});
    }
    ++groups.back().cells;
    groups.back().passed += cell.verdict == GateVerdict::pass;
    if (cell.change) changes.push_back(cell.change->median);
  }
  finish();
  return groups;
}

std::string sentinels_text(const GateResult& result) {
  const auto change = [](const GateCell& cell) { return cell.change ? text_of(*cell.change) : "not measured"; };
  return fmt::format("the baseline against its own copy: {}; with {} planted: {}, {}", change(result.own_copy),
                     percent(result.planted), change(result.with_planted),
                     result.with_planted.verdict == GateVerdict::regressed ? "found" : "not found");
}

std::string rules_text(const GateReport& report) {
  const std::string time = fmt::format("threshold {:g}%", 100 * report.threshold);
  if (!report.instructions_threshold) return time;
  const std::string instructions = fmt::format("instructions threshold {:g}%", 100 * *report.instructions_threshold);
  return report.timed ? fmt::format("{}, {}", time, instructions) : instructions;
}

std::string conditions_text(const GateResult& result) {
  if (result.pairs_taken == 0) return fmt::format("{} launches; {:.1f} s", result.launches, result.seconds);
  const double part = result.pairs_taken == 0
                          ? 0
                          : static_cast<double>(result.pairs_calibrated) / static_cast<double>(result.pairs_taken);
  return fmt::format("{} launches, {} pairs, calibrated {:.0f}% of them: {}; {:.1f} s", result.launches,
                     result.pairs_taken, 100 * part,
                     result.contended() ? "contended, something shared the core or its frequency moved" : "clean",
                     result.seconds);
}

std::string to_table(const GateReport& report, bool colour) {
  std::string text =
      fmt::format("CPU        {} ({}, {})\nbaseline   {}\ncandidate  {}\n", report.host.cpu, report.host.architecture,
                  report.host.system, report.baseline_file, report.candidate_file);
  if (!report.host.cpu_mask.empty()) text += "           " + hidden_features(report.host);
  for (const GateResult& result : report.results) {
    text += '\n' + wrapped(title_of(result) + "  ", fmt::format("{}: {}", name(result.verdict), result.reason)) + '\n';
    for (const std::string& note : result.notes) text += wrapped("note: ", note);
    if (result.cells.empty()) continue;
    text += cells_text(result, colour);
    if (result.launches > 0) text += groups_text(result, colour);
    if (const std::string counts = counts_text(result); !counts.empty())
      text += wrapped("instructions: ", fmt::format("{}; {:.1f} s", counts, result.count_seconds));
    if (result.launches == 0) continue;
    if (result.sentinels) text += wrapped("sentinels: ", sentinels_text(result));
    text += wrapped("measured:  ", conditions_text(result));
    if (!result.clock.empty()) text += wrapped("clock:     ", result.clock);
  }
  const GateVerdict verdict = report.verdict();
  text += fmt::format("\n{}: {} backend{}, {}, seed {}; {:.1f} s\n", painted(name(verdict), tone_of(verdict), colour),
                      report.results.size(), report.results.size() == 1 ? "" : "s", rules_text(report), report.seed,
                      report.seconds);
  return text;
}

}  // namespace aesgate
