#include "cli/fault_report.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/host.h"
#include "report/json_head.h"
#include "report/summary.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

/// Why a fault is not expected to be caught, in words.
std::string_view meaning(std::string_view needs) {
  if (needs == "deep") return "lengths of 2^31 and more, which --effort deep has";
  if (needs == "gate") return "slow and not wrong: for a comparison of two builds";
  if (needs == "witness") return "right, by another unit than it claims: for single steps, which cannot be had here";
  if (needs == "nothing") return "right, and what ran is what it claims: only that its answers are others' is not seen";
  if (needs == "proof") return "its claim is not refuted, and only not proven: for --require-proof";
  return needs;
}

constexpr std::string_view by_warning = "warning: ";

/// The note that is the fault's warning, or empty.
std::string warning_in(const faults::Fault& fault, const Seen& seen) {
  std::string_view needs = fault.needs;
  if (!needs.starts_with(by_warning)) return {};
  needs.remove_prefix(by_warning.size());
  const auto found = std::ranges::find_if(
      seen.notes, [needs](const std::string& note) { return note.find(needs) != std::string::npos; });
  return found == seen.notes.end() ? std::string() : *found;
}

std::string text_of(const FaultRow& row, const Seen& seen) {
  if (!seen.ran) return seen.first.empty() ? "" : "n/a";
  if (!seen.caught) return warning_in(*row.fault, seen).empty() ? "-" : "warned";
  return fmt::format("{} {:.1f}s", grouped(seen.cases), seen.seconds);
}

/// What the first stage that caught it says, and which that was.
std::string first_said(const FaultMatrix& matrix, const FaultRow& row) {
  for (std::size_t i = 0; i < row.seen.size(); ++i)
    if (row.seen[i].caught) return fmt::format("{}: {}", matrix.stages[i], row.seen[i].first);
  for (std::size_t i = 0; i < row.seen.size(); ++i)
    if (const std::string warning = warning_in(*row.fault, row.seen[i]); !warning.empty())
      return fmt::format("{}: {}", matrix.stages[i], warning);
  if (!row.ran())
    for (const Seen& seen : row.seen)
      if (!seen.first.empty()) return "not run: " + seen.first;
  return {};
}

std::string matrix_text(const FaultMatrix& matrix, bool colour) {
  TextTable table;
  const auto heading = [&](std::string_view first, const auto& text_of_stage) {
    std::vector<Cell> cells{{std::string(first)}};
    for (const std::string& stage : matrix.stages) cells.push_back({text_of_stage(stage)});
    table.add(cells);
  };
  heading("", [](const std::string& stage) { return stage; });
  std::string_view group;
  for (const FaultRow& row : matrix.rows) {
    if (std::exchange(group, row.fault->group) != row.fault->group)
      heading(fmt::format("{}:", group), [](const std::string&) { return std::string(); });
    std::vector<Cell> cells{{row.fault->backend.name}};
    for (const Seen& seen : row.seen)
      cells.push_back({text_of(row, seen), !seen.caught ? Tone::plain : row.is_clean() ? Tone::bad : Tone::good});
    table.add(cells);
  }
  return table.text(colour);
}

/// What was said of each, in the words of the first stage that caught it.
std::string said_text(const FaultMatrix& matrix) {
  std::string text;
  for (const FaultRow& row : matrix.rows)
    if (const std::string said = first_said(matrix, row); !said.empty())
      text += fmt::format("{}\n", row.fault->backend.name) + wrapped("    ", said);
  return text;
}

using Names = std::vector<std::string>;

template <typename Predicate>
Names names_of(const FaultMatrix& matrix, Predicate predicate) {
  Names names;
  for (const FaultRow& row : matrix.rows)
    if (predicate(row)) names.emplace_back(row.fault->backend.name);
  return names;
}

Names escaped(const FaultMatrix& matrix) {
  return names_of(matrix, [](const FaultRow& row) { return !row.is_clean() && row.ran() && !row.caught(); });
}
Names escaped_unexpectedly(const FaultMatrix& matrix) {
  return names_of(matrix, [&](const FaultRow& row) {
    return !row.is_clean() && row.ran() && !row.caught() && matrix.is_expected(row);
  });
}
Names accused(const FaultMatrix& matrix) {
  return names_of(matrix, [](const FaultRow& row) { return row.is_clean() && row.caught(); });
}
/// A control that no stage ran proves nothing.
Names idle_controls(const FaultMatrix& matrix) {
  return names_of(matrix, [](const FaultRow& row) { return row.is_clean() && !row.ran(); });
}
std::size_t caught_count(const FaultMatrix& matrix) {
  return names_of(matrix, [](const FaultRow& row) { return !row.is_clean() && row.caught(); }).size();
}

/// The faults that escaped as they are expected to, by what they need.
std::string expected_escapes(const FaultMatrix& matrix) {
  std::map<std::string, Names> by_need;
  for (const FaultRow& row : matrix.rows)
    if (!row.is_clean() && row.ran() && !row.caught() && !matrix.is_expected(row))
      by_need[row.fault->needs].emplace_back(row.fault->backend.name);
  std::string text;
  for (const auto& [needs, names] : by_need)
    text += wrapped(fmt::format("escape, needs {}: ", needs),
                    fmt::format("{} ({})", fmt::join(names, ", "), meaning(needs)));
  return text;
}

std::string verdict_text(const FaultMatrix& matrix) {
  const auto controls = std::ranges::count_if(matrix.rows, &FaultRow::is_clean);
  const auto not_run = names_of(matrix, [](const FaultRow& row) { return !row.is_clean() && !row.ran(); });
  std::string text = expected_escapes(matrix);
  if (!not_run.empty()) text += wrapped("cannot run here: ", fmt::format("{}", fmt::join(not_run, ", ")));
  const Names missed = escaped_unexpectedly(matrix);
  if (!missed.empty()) text += wrapped("ESCAPE: ", fmt::format("{}", fmt::join(missed, ", ")));
  const Names wronged = accused(matrix);
  if (!wronged.empty()) text += wrapped("ACCUSED: ", fmt::format("{}", fmt::join(wronged, ", ")));
  const Names idle = idle_controls(matrix);
  if (!idle.empty()) text += wrapped("NOTHING RAN: ", fmt::format("{}", fmt::join(idle, ", ")));
  return text +
         fmt::format("{}{}: faults caught {} of {}; {} of {} clean backends accused; effort {}, seed {}; {:.1f} s\n",
                     text.empty() ? "" : "\n", matrix.exit_status() == 0 ? "PASS" : "FAIL", caught_count(matrix),
                     static_cast<std::ptrdiff_t>(matrix.rows.size()) - controls, wronged.size(), controls,
                     name(matrix.effort), matrix.seed, matrix.seconds);
}

nlohmann::ordered_json to_json(const FaultMatrix& matrix, const FaultRow& row) {
  auto stages = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < row.seen.size(); ++i) {
    const Seen& seen = row.seen[i];
    stages.push_back({{"stage", matrix.stages[i]},
                      {"ran", seen.ran},
                      {"caught", seen.caught},
                      {"cases", seen.cases},
                      {"seconds", seen.seconds},
                      {"first", seen.first}});
  }
  return {{"name", row.fault->backend.name}, {"group", row.fault->group},
          {"report", row.fault->report},     {"description", row.fault->backend.description},
          {"needs", row.fault->needs},       {"clean", row.is_clean()},
          {"caught", row.caught()},          {"expected", !row.is_clean() && matrix.is_expected(row)},
          {"stages", std::move(stages)}};
}

}  // namespace

bool FaultRow::is_clean() const { return std::string_view(fault->backend.name).starts_with("clean-"); }
bool FaultRow::ran() const { return std::ranges::any_of(seen, &Seen::ran); }
bool FaultRow::caught() const { return std::ranges::any_of(seen, &Seen::caught) || warned(); }
bool FaultRow::warned() const {
  return std::ranges::any_of(seen, [this](const Seen& one) { return !warning_in(*fault, one).empty(); });
}

bool FaultMatrix::is_expected(const FaultRow& row) const {
  const std::string_view needs = row.fault->needs;
  if (needs == "witness") return has_witness;
  return needs.empty() || needs.starts_with(by_warning) || (needs == "deep" && effort == Effort::deep);
}

int FaultMatrix::exit_status() const {
  return escaped_unexpectedly(*this).empty() && accused(*this).empty() && idle_controls(*this).empty() ? 0 : 1;
}

std::string to_table(const FaultMatrix& matrix, bool colour) {
  const Host host = describe_host();
  std::string text = fmt::format("aesgate {} faults\n{}, {}, {}\n\n", version(), host.cpu, host.system, host.compiler);
  text += "Cases until a fault was caught, and seconds; - where the stage saw nothing wrong\n\n";
  text += matrix_text(matrix, colour);
  if (const std::string said = said_text(matrix); !said.empty())
    text += "\nWhat the first stage that caught it says\n\n" + said;
  return text + '\n' + verdict_text(matrix);
}

nlohmann::ordered_json to_json(const FaultMatrix& matrix) {
  auto json = json_head("faults", describe_host());
  json["effort"] = name(matrix.effort);
  json["seed"] = matrix.seed;
  json["seconds"] = matrix.seconds;
  json["faults"] = nlohmann::ordered_json::array();
  for (const FaultRow& row : matrix.rows) json["faults"].push_back(to_json(matrix, row));
  json["result"] = {{"faults", std::ranges::count_if(matrix.rows, [](const FaultRow& r) { return !r.is_clean(); })},
                    {"caught", caught_count(matrix)},
                    {"escaped", escaped(matrix)},
                    {"not_expected", escaped_unexpectedly(matrix)},
                    {"accused", accused(matrix)},
                    {"exit_status", matrix.exit_status()}};
  return json;
}

}  // namespace aesgate
