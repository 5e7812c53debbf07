// What the gate says to other programs: JSON, JUnit XML, Markdown.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "perf/gate_counts.h"
#include "perf/gate_matrix.h"
#include "perf/gate_report.h"
#include "report/json_head.h"
#include "report/junit.h"

namespace aesgate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const CellCounts& counts) {
  Json json{{"bytes_per_call", counts.bytes}};
  if (!counts.counted()) {
    json["reason"] = counts.reason;
    return json;
  }
  json["baseline"] = counts.baseline;
  json["candidate"] = counts.candidate;
  json["baseline_aes"] = counts.baseline_aes;
  json["candidate_aes"] = counts.candidate_aes;
  json["change"] = counts.change();
  json["same_execution"] = counts.same_execution;
  return json;
}

Json to_json(const GateCell& cell) {
  const Shape& shape = cell.workload.shape;
  Json json{{"mode", name(shape.mode)},
            {"direction", name(shape.direction)},
            {"key_bits", bits(shape.key_size)},
            {"bytes_per_call", cell.workload.bytes},
            {"in_place", cell.workload.in_place},
            {"verdict", name(cell.verdict)},
            {"reason", cell.reason},
            {"faster", cell.faster},
            {"confirmed", cell.confirmed},
            {"change", nullptr}};
  if (cell.change)
    json["change"] = {{"median", cell.change->median}, {"low", cell.change->low}, {"high", cell.change->high}};
  json["baseline_nanoseconds_per_call"] = cell.nanoseconds_a_call;
  json["baseline_core_cycles_per_call"] = cell.cycles_a_call ? Json(*cell.cycles_a_call) : Json(nullptr);
  json["screening_launches"] = cell.screened;
  json["confirming_launches"] = cell.confirming;
  json["instructions"] = cell.counts ? to_json(*cell.counts) : Json(nullptr);
  return json;
}

Json to_json(const GateResult& result) {
  Json json{{"baseline", result.baseline},
            {"candidate", result.candidate},
            {"verdict", name(result.verdict)},
            {"reason", result.reason},
            {"notes", result.notes},
            {"launches", result.launches},
            {"pairs_taken", result.pairs_taken},
            {"pairs_calibrated", result.pairs_calibrated},
            {"pairs_used", result.pairs_used},
            {"window", result.pairs_taken == 0 ? "none"
                       : result.contended()    ? "contended"
                                               : "clean"},
            {"clock", result.clock},
            {"seconds", result.seconds},
            {"count_seconds", result.count_seconds},
            {"planted", result.planted}};
  if (result.launches > 0 && result.sentinels)
    json["sentinels"] = {{"own_copy", to_json(result.own_copy)}, {"planted", to_json(result.with_planted)}};
  json["cells"] = Json::array();
  for (const GateCell& cell : result.cells) json["cells"].push_back(to_json(cell));
  return json;
}

std::string testcase(const std::string& suite, const std::string& test, const GateVerdict verdict,
                     const std::string& message, const std::string& output) {
  std::string xml = fmt::format("    <testcase classname=\"aesgate.gate.{}\" name=\"{}\" time=\"0.000\">\n",
                                xml_escaped(suite), xml_escaped(test));
  if (verdict != GateVerdict::pass)
    xml += fmt::format("      <failure message=\"{}: {}\"/>\n", name(verdict), xml_escaped(message));
  if (!output.empty()) xml += fmt::format("      <system-out>{}</system-out>\n", xml_escaped(output));
  return xml + "    </testcase>\n";
}

/// A backend's cells, and one testcase for what is said of all of them.
std::string suite_of(const GateResult& result, std::size_t& tests, std::size_t& failures) {
  std::string body = testcase(
      result.baseline, "verdict", result.verdict, result.reason,
      result.launches == 0 ? "" : (result.sentinels ? sentinels_text(result) + "; " : "") + conditions_text(result));
  std::size_t failed = result.verdict != GateVerdict::pass;
  for (const GateCell& cell : result.cells) {
    std::string change = cell.change ? text_of(*cell.change) : "not measured";
    if (cell.counts) change += "; instructions: " + counts_text(cell);
    body += testcase(result.baseline, name(cell.workload), cell.verdict, change + "; " + cell.reason, change);
    failed += cell.verdict != GateVerdict::pass;
  }
  tests += result.cells.size() + 1;
  failures += failed;
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" "
      "time=\"{:.3f}\">\n{}  </testsuite>\n",
      xml_escaped(result.baseline), result.cells.size() + 1, failed, result.seconds, body);
}

/// A file's name within a table: neither a column nor code ends in it.
std::string code(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '`' || c == '|' || static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return fmt::format("`{}`", safe);
}

std::string markdown_of(const GateResult& result) {
  std::string text = fmt::format("\n### {}: {}\n\n{}\n", code(result.candidate), name(result.verdict), result.reason);
  for (const std::string& note : result.notes) text += fmt::format("\n> {}\n", note);
  if (result.cells.empty()) return text;
  if (const auto cells = remarkable_cells(result); !cells.empty()) {
    text += "\n| cell | change | 95% interval | instructions | verdict |\n| --- | ---: | ---: | ---: | --- |\n";
    for (const GateCell* cell : cells) {
      const auto change = cell->change.value_or(GateCell::Change{});
      text +=
          fmt::format("| {} | {} | {} | {} | {} |\n", name(cell->workload), cell->change ? percent(change.median) : "-",
                      cell->change ? fmt::format("{} to {}", percent(change.low), percent(change.high)) : "-",
                      counts_text(*cell), cell->faster ? "faster" : fmt::format("**{}**", name(cell->verdict)));
    }
  }
  if (const std::string counts = counts_text(result); !counts.empty())
    text += fmt::format("\nInstructions: {}.\n", counts);
  if (result.launches == 0) return text;
  text +=
      "\n<details><summary>All cells, by mode</summary>\n\n"
      "| mode | cells | pass | least change | median | most |\n| --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const GateGroup& group : groups_of(result))
    text += fmt::format("| {} {} | {} | {} | {} | {} | {} |\n", name(group.mode), name(group.direction), group.cells,
                        group.passed, percent(group.least), percent(group.median), percent(group.most));
  text += "\n</details>\n\n";
  if (result.sentinels) text += fmt::format("Sentinels: {}. ", sentinels_text(result));
  return text + fmt::format("Measured: {}.\n", conditions_text(result));
}

}  // namespace

nlohmann::ordered_json to_json(const GateReport& report) {
  Json json = json_head("gate", report.host);
  json["baseline_file"] = report.baseline_file;
  json["candidate_file"] = report.candidate_file;
  json["timed"] = report.timed;
  json["threshold"] = report.threshold;
  json["instructions_threshold"] = report.instructions_threshold ? Json(*report.instructions_threshold) : Json(nullptr);
  json["seed"] = report.seed;
  json["verdict"] = name(report.verdict());
  json["exit_status"] = exit_status(report.verdict());
  json["seconds"] = report.seconds;
  json["results"] = Json::array();
  for (const GateResult& result : report.results) json["results"].push_back(to_json(result));
  return json;
}

std::string to_junit(const GateReport& report) {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::string body;
  for (const GateResult& result : report.results) body += suite_of(result, tests, failures);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"aesgate gate\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" time=\"{:.3f}\">\n{}</testsuites>\n",
      tests, failures, report.seconds, body);
}

std::string to_markdown(const GateReport& report) {
  std::string text =
      fmt::format("## aesgate gate: {}\n\n{} against {}, {}, on {}.\n", name(report.verdict()),
                  code(report.candidate_file), code(report.baseline_file), rules_text(report), report.host.cpu);
  for (const GateResult& result : report.results) text += markdown_of(result);
  return text;
}

}  // namespace aesgate
