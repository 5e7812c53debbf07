#include "perf/gate_counts.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perf/gate_matrix.h"
#include "perf/gate_report.h"

namespace aesgate {
namespace {

constexpr std::size_t most_named = 4;

bool has_counts(const GateCell& cell) { return cell.counts && cell.counts->counted(); }

/// "41 to 48 instructions (+17.07%)", and of how many bytes if not the cell's.
std::string in_words(const GateCell& cell) {
  const CellCounts& counts = *cell.counts;
  return fmt::format("{} to {} instructions ({}){}", counts.baseline, counts.candidate, percent(counts.change()),
                     counts.bytes == cell.workload.bytes ? "" : fmt::format(" for {} bytes", counts.bytes));
}

bool is_same_execution(const GateCell& cell, double time_threshold) {
  return has_counts(cell) && cell.counts->same_execution && cell.counts->bytes == cell.workload.bytes && cell.change &&
         cell.change->median <= time_threshold;
}

void pass_what_is_the_same(GateResult& result, double time_threshold) {
  std::size_t passed = 0;
  for (GateCell& cell : result.cells) {
    if (cell.verdict != GateVerdict::inconclusive || !is_same_execution(cell, time_threshold)) continue;
    cell.verdict = GateVerdict::pass;
    cell.reason.clear();
    ++passed;
  }
  if (passed == 0) return;
  result.notes.push_back(
      fmt::format("{} of {} cells were left open by the launches, and pass because the call executes the same "
                  "instructions at the same places, and the median change is not above the threshold",
                  passed, result.cells.size()));
  const bool sentinels_held =
      result.with_planted.verdict == GateVerdict::regressed && result.own_copy.verdict == GateVerdict::pass;
  if (result.verdict == GateVerdict::inconclusive && sentinels_held && result.count(GateVerdict::inconclusive) == 0 &&
      result.count(GateVerdict::regressed) == 0) {
    result.verdict = GateVerdict::pass;
    result.reason = fmt::format("no cell of {} is slower by more than {:g}%, {} of them since they execute the same",
                                result.cells.size(), 100 * time_threshold, passed);
  }
}

/// By more than the threshold, and not by rounding of 105 / 100 - 1.
bool is_more(const CellCounts& counts, double threshold) {
  constexpr double rounding = 1e-6;  // of an instruction
  return static_cast<double>(counts.candidate) > (1 + threshold) * static_cast<double>(counts.baseline) + rounding;
}

/// Regresses the cells that execute too much; how many there are.
std::size_t regress(std::vector<GateCell>& cells, double threshold) {
  std::size_t regressed = 0;
  for (GateCell& cell : cells) {
    if (!has_counts(cell) || !is_more(*cell.counts, threshold)) continue;
    const std::string more = fmt::format("executes more by over {:g}%: {}", 100 * threshold, in_words(cell));
    cell.reason = cell.verdict == GateVerdict::regressed ? fmt::format("{}; {}", cell.reason, more) : more;
    cell.verdict = GateVerdict::regressed;
    ++regressed;
  }
  return regressed;
}

/// Why cells have no count, and how many of them for that reason.
std::map<std::string, std::size_t> not_counted(const GateResult& result) {
  std::map<std::string, std::size_t> reasons;
  for (const GateCell& cell : result.cells)
    if (cell.counts && !cell.counts->counted()) ++reasons[cell.counts->reason];
  return reasons;
}

}  // namespace

std::vector<Workload> workloads_to_count(std::vector<Workload> workloads) {
  for (Workload& workload : workloads) workload.bytes = std::min(workload.bytes, bulk_bytes_to_count);
  return workloads;
}

Result<std::vector<CellCounts>> count_cells(LaunchRequest request, const std::vector<Workload>& workloads,
                                            double seconds, const Launcher& launcher) {
  request.task = LaunchRequest::Task::counts;
  request.count_seconds = seconds;
  request.cells.clear();
  for (const Workload& workload : workloads) request.cells.push_back({workload});
  const auto launched = launcher(request);
  if (!launched) return tl::unexpected(launched.error());
  std::vector<CellCounts> all;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    CellCounts& counts = all.emplace_back();
    if (launched->lost.empty() && i < launched->cells.size())
      counts = launched->cells[i].counts;
    else
      counts.reason = launched->lost.empty() ? "the process gave no count" : launched->lost;
    if (counts.bytes == 0) counts.bytes = workloads[i].bytes;
  }
  return all;
}

void apply_counts(GateResult& result, const std::vector<CellCounts>& counts, const CountRules& rules) {
  for (std::size_t i = 0; i < result.cells.size() && i < counts.size(); ++i) result.cells[i].counts = counts[i];
  if (result.verdict == GateVerdict::wrong) return;
  pass_what_is_the_same(result, rules.time_threshold);
  if (!rules.threshold) return;
  const std::size_t more = regress(result.cells, *rules.threshold);
  if (more == 0) return;
  const std::string reason = fmt::format("{} of {} cells execute more instructions by over {:g}%", more,
                                         result.cells.size(), 100 * *rules.threshold);
  result.reason = result.verdict == GateVerdict::pass ? reason : fmt::format("{}; by time: {}", reason, result.reason);
  result.verdict = GateVerdict::regressed;
}

GateResult judge_counts(const std::vector<Workload>& workloads, const std::vector<CellCounts>& counts,
                        double threshold) {
  GateResult result;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    GateCell& cell = result.cells.emplace_back();
    cell.workload = workloads[i];
    cell.counts = counts[i];
    cell.verdict = has_counts(cell) ? GateVerdict::pass : GateVerdict::inconclusive;
    if (!has_counts(cell)) cell.reason = "not counted: " + counts[i].reason;
  }
  const std::size_t more = regress(result.cells, threshold);
  const std::size_t open = result.count(GateVerdict::inconclusive);
  const auto say = [&result](GateVerdict verdict, std::string reason) {
    result.verdict = verdict;
    result.reason = std::move(reason) + "; nothing was timed";
  };
  if (more > 0)
    say(GateVerdict::regressed, fmt::format("{} of {} cells execute more instructions by over {:g}%", more,
                                            result.cells.size(), 100 * threshold));
  else if (open > 0) {
    const auto first = std::ranges::find(result.cells, GateVerdict::inconclusive, &GateCell::verdict);
    say(GateVerdict::inconclusive,
        fmt::format("{} of {} cells were not counted, such as {}: {}; --seconds gives more time, --mode and --bytes "
                    "choose fewer or shorter ones, and without --count-only they are timed",
                    open, result.cells.size(), name(first->workload), first->counts->reason));
  } else
    say(GateVerdict::pass,
        fmt::format("no cell of {} executes more instructions by over {:g}%", result.cells.size(), 100 * threshold));
  return result;
}

std::string counts_text(const GateCell& cell) {
  if (!has_counts(cell)) return "-";
  return cell.counts->baseline == cell.counts->candidate ? "same" : percent(cell.counts->change());
}

std::string counts_text(const GateResult& result) {
  std::vector<const GateCell*> counted;
  std::size_t asked = 0;
  for (const GateCell& cell : result.cells) {
    asked += cell.counts.has_value();
    if (has_counts(cell)) counted.push_back(&cell);
  }
  if (asked == 0) return {};
  if (counted.empty()) return fmt::format("no cell could be counted: {}", result.cells.front().counts->reason);
  std::ranges::stable_sort(counted, std::ranges::greater{},
                           [](const GateCell* cell) { return cell->counts->change(); });
  const auto number = [&](auto is) { return std::ranges::count_if(counted, is); };
  const auto more = number([](const GateCell* cell) { return cell->counts->candidate > cell->counts->baseline; });
  const auto fewer = number([](const GateCell* cell) { return cell->counts->candidate < cell->counts->baseline; });
  const auto same = number([](const GateCell* cell) { return cell->counts->same_execution; });
  std::string text =
      fmt::format("counted in {} of {} cells: as many in {}{}, more in {}, fewer in {}", counted.size(),
                  result.cells.size(), static_cast<std::ptrdiff_t>(counted.size()) - more - fewer,
                  same == 0 ? "" : fmt::format(" ({} the very same at the same places)", same), more, fewer);
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(more), most_named); ++i)
    named.push_back(fmt::format("{}: {}", name(counted[i]->workload), in_words(*counted[i])));
  for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(fewer), most_named - named.size()); ++i)
    named.push_back(fmt::format("{}: {}", name(counted[counted.size() - 1 - i]->workload),
                                in_words(*counted[counted.size() - 1 - i])));
  if (!named.empty()) text += fmt::format("; such as {}", fmt::join(named, "; "));
  for (const auto& [reason, cells] : not_counted(result))
    text += fmt::format("; {} cell{} not counted: {}", cells, cells == 1 ? "" : "s", reason);
  return text;
}

}  // namespace aesgate
