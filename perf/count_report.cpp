#include "perf/count_report.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/json_head.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

using Json = nlohmann::ordered_json;

std::string head_of(const CountReport& report) {
  std::string text =
      fmt::format("CPU      {} ({}, {})\n", report.host.cpu, report.host.architecture, report.host.system);
  text += hidden_features(report.host);
  text += wrapped("counted  ",
                  report.stepping.empty()
                      ? "the instructions of one call of update(), by single steps: no clock has a part in it, and a "
                        "second count gave the same. In brackets those of them that are AES instructions"
                      : "nothing: " + report.stepping);
  if (!report.modeller.empty())
    text +=
        wrapped("modelled ", fmt::format("cycles of calls that follow each other and do not wait for each other, by "
                                         "{} for {}: no cache, no mispredicted branch; not measured",
                                         report.modeller, fmt::join(report.models, ", ")));
  return text;
}

std::string figure(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", value); }

/// The lines of one shape with the same sizes: the columns are theirs.
std::string table_of(const std::vector<const CountLine*>& lines, const CountReport& report) {
  TextTable table;
  const CountResult& first = *lines.front()->sizes.front();
  std::vector<Cell> heading{{fmt::format("{}{}", name(first.shape), first.in_place ? " in place" : "")}};
  for (const CountResult* result : lines.front()->sizes) heading.push_back({fmt::format("{} B", result->bytes)});
  heading.push_back({"a byte"});
  table.add(heading);
  for (const CountLine* line : lines) {
    std::vector<Cell> row{{line->sizes.front()->backend}};
    for (const CountResult* result : line->sizes)
      row.push_back({result->counted() ? fmt::format("{} ({})", result->instructions, result->aes_instructions) : "-"});
    const auto slope = line->slope();
    row.push_back({slope ? fmt::format("{:.3f} ({:.3f})", slope->instructions, slope->aes_instructions) : "-"});
    table.add(std::move(row));
    for (std::size_t model = 0; model < report.models.size(); ++model) {
      std::vector<Cell> modelled{{"  " + report.models[model]}};
      for (const CountResult* result : line->sizes) {
        const bool has = model < result->modelled.size() && result->modelled[model].reason.empty();
        modelled.push_back({has ? fmt::format("{:.1f}", result->modelled[model].cycles_a_call) : "-"});
      }
      modelled.push_back({slope ? figure(slope->cycles[model]) : "-"});
      table.add(std::move(modelled));
    }
  }
  return table.text(false);
}

/// Each reason once, with what it is of.
std::string reasons_of(const std::vector<const CountLine*>& lines) {
  std::map<std::string, std::vector<std::string>> reasons;
  const auto add = [&](const std::string& reason, const std::string& of) {
    auto& names = reasons[reason];
    if (names.empty() || names.back() != of) names.push_back(of);
  };
  for (const CountLine* line : lines)
    for (const CountResult* result : line->sizes) {
      if (!result->counted()) add(fmt::format("{}: {}", name(result->verdict), result->reason), result->backend);
      for (const ModelledCycles& modelled : result->modelled)
        if (!modelled.reason.empty()) add("no model: " + modelled.reason, result->backend);
    }
  std::string text;
  for (const auto& [reason, of] : reasons) text += wrapped("- ", fmt::format("{}: {}", fmt::join(of, ", "), reason));
  return text;
}

}  // namespace

std::optional<CountLine::Slope> CountLine::slope() const {
  const CountResult* large = nullptr;
  const CountResult* small = nullptr;
  for (const CountResult* result : sizes) {
    if (!result->counted()) continue;
    small = large;
    large = result;
  }
  if (small == nullptr || small->bytes == large->bytes) return std::nullopt;
  const auto a_byte = [&](double more) { return more / static_cast<double>(large->bytes - small->bytes); };
  const auto difference = [](std::size_t a, std::size_t b) { return static_cast<double>(a) - static_cast<double>(b); };
  Slope slope{a_byte(difference(large->instructions, small->instructions)),
              a_byte(difference(large->aes_instructions, small->aes_instructions)),
              {}};
  for (std::size_t model = 0; model < large->modelled.size(); ++model) {
    const ModelledCycles& more = large->modelled[model];
    const ModelledCycles& less = small->modelled[model];
    const bool both = more.reason.empty() && less.reason.empty();
    slope.cycles.push_back(both ? a_byte(more.cycles_a_call - less.cycles_a_call)
                                : std::numeric_limits<double>::quiet_NaN());
  }
  return slope;
}

std::vector<CountLine> lines_of(const CountReport& report) {
  std::vector<CountLine> lines;
  const CountResult* before = nullptr;
  for (const CountResult& result : report.results) {
    if (before == nullptr || before->backend != result.backend || before->shape != result.shape) lines.emplace_back();
    lines.back().sizes.push_back(&result);
    before = &result;
  }
  return lines;
}

std::string to_table(const CountReport& report) {
  std::string text = head_of(report);
  const std::vector<CountLine> lines = lines_of(report);
  for (std::size_t i = 0; i < lines.size();) {
    const Shape& shape = lines[i].sizes.front()->shape;
    std::vector<const CountLine*> of_shape, shown;
    for (; i < lines.size() && lines[i].sizes.front()->shape == shape; ++i) of_shape.push_back(&lines[i]);
    for (const CountLine* line : of_shape)
      if (line->sizes.front()->counted()) shown.push_back(line);
    text += "\n" + (shown.empty() ? fmt::format("{}\n", name(shape)) : table_of(shown, report)) + reasons_of(of_shape);
  }
  return text;
}

nlohmann::ordered_json to_json(const CountReport& report) {
  Json json = json_head("perf --count", report.host);
  json["stepping"] = report.stepping;
  json["modeller"] = report.modeller;
  json["results"] = Json::array();
  for (const CountLine& line : lines_of(report)) {
    const auto slope = line.slope();
    for (const CountResult* result : line.sizes) {
      Json cell{{"backend", result->backend},
                {"mode", name(result->shape.mode)},
                {"direction", name(result->shape.direction)},
                {"key_bits", bits(result->shape.key_size)},
                {"bytes", result->bytes},
                {"in_place", result->in_place},
                {"verdict", name(result->verdict)},
                {"reason", result->reason}};
      if (result->counted()) {
        cell["instructions"] = result->instructions;
        cell["aes_instructions"] = result->aes_instructions;
      }
      for (const ModelledCycles& modelled : result->modelled)
        cell["modelled"].push_back(modelled.reason.empty()
                                       ? Json{{"cpu", modelled.cpu}, {"cycles_a_call", modelled.cycles_a_call}}
                                       : Json{{"cpu", modelled.cpu}, {"reason", modelled.reason}});
      if (slope && result == line.sizes.back()) {
        cell["instructions_a_byte"] = slope->instructions;
        cell["aes_instructions_a_byte"] = slope->aes_instructions;
      }
      json["results"].push_back(std::move(cell));
    }
  }
  return json;
}

}  // namespace aesgate
