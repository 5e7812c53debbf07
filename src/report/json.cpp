#include "report/json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/coverage_report.h"
#include "report/json_head.h"

namespace aesgate {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const Tally& tally) {
  Json counts = Json::object();
  counts["agree"] = tally.count(Verdict::agree);
  for (std::size_t i = 0; i < tally.counts.size(); ++i)
    if (tally.counts[i] > 0) counts[std::string(name(static_cast<Verdict>(i)))] = tally.counts[i];
  return counts;
}

Json reasons_json(const Tally& tally) {
  Json reasons = Json::object();
  for (std::size_t i = 0; i < tally.counts.size(); ++i)
    if (const auto verdict = static_cast<Verdict>(i); verdict != Verdict::agree && tally.counts[i] > 0)
      reasons[std::string(name(verdict))] = tally.reasons[i];
  return reasons;
}

Json cell_json(Mode mode, const Tally& tally) {
  const std::uint64_t agree = tally.count(Verdict::agree);
  return {{"mode", name(mode)},
          {"agree", agree},
          {"failures", tally.failures()},
          {"total", agree + tally.failures()},
          {"reasons", reasons_json(tally)}};
}

/// How many Cases of all suites ran, by size class and then by kind of split, tail and trait.
Json counts_json(Mode mode, const Coverage& coverage) {
  Json sizes = Json::object();
  for (std::size_t size = 0; size < size_classes.size(); ++size) {
    if (coverage.cases(size) == 0) continue;
    Json of_size = {{"cases", coverage.cases(size)}};
    for (const bool tail : {false, true})
      for (std::size_t i = 0; i < split_count; ++i)
        if (const auto count = coverage.count(size, tail, static_cast<Split>(i)); count > 0)
          of_size[tail ? "splits_with_tail" : "splits"][std::string(name(static_cast<Split>(i)))] = count;
    for (std::size_t i = 0; i < trait_count; ++i)
      if (const auto count = coverage.count(size, static_cast<Trait>(i)); count > 0)
        of_size["traits"][std::string(name(static_cast<Trait>(i)))] = count;
    sizes[size_text(mode, size, false)] = std::move(of_size);
  }
  return sizes;
}

Json coverage_json(const Summary& summary, const Summary::Backend& backend, const Record& record) {
  Json shapes = Json::array();
  if (!states_coverage(summary)) return shapes;
  for (const ShapeCoverage& covered : coverage_of(summary, backend, record)) {
    const Shape& shape = covered.shape;
    const Coverage ran = record.coverage({.suite = {}, .backend = backend.backend->name, .mode = {}, .shape = shape});
    shapes.push_back({{"shape", name(shape)},
                      {"boundary_cases", covered.ran},
                      {"of", covered.planned},
                      {"classes", covered.classes},
                      {"too_few", covered.short_of},
                      {"sizes", counts_json(shape.mode, ran)}});
  }
  return shapes;
}

Json evidence_json(const Summary::Backend& backend) {
  if (!backend.evidence) return nullptr;
  return {{"verdict", name(backend.evidence->proof)},
          {"ran", backend.evidence->ran},
          {"reason", backend.evidence->reason},
          {"notes", backend.evidence->notes}};
}

Json backend_json(const Summary& summary, const Summary::Backend& backend, const Record& record) {
  const std::string backend_name = backend.backend->name;
  Json suites = Json::object();
  for (const Suite suite : summary.suites())
    suites[std::string(name(suite))] = counts_json(record.tally({suite, backend_name, {}, {}}));
  Json cells = Json::array();
  for (const Mode mode : summary.plan.modes)
    cells.push_back(cell_json(mode, record.tally({{}, backend_name, mode, {}})));
  return {{"name", backend_name},
          {"kind", backend.backend->kind},
          {"unit", backend.backend->unit},
          {"available", backend.why_unavailable.empty()},
          {"reason", backend.why_unavailable},
          {"emulated", backend.emulated},
          {"required", std::ranges::find(summary.required, backend_name) != summary.required.end()},
          {"suites", std::move(suites)},
          {"cells", std::move(cells)},
          {"evidence", evidence_json(backend)},
          {"coverage", coverage_json(summary, backend, record)}};
}

Json finding_json(const Finding& finding, const Plan& plan) {
  const Shape& shape = finding.shape;
  Json difference = nullptr;
  if (const auto& d = finding.judgement.difference)
    difference = {{"field", d->field},
                  {"offset", d->offset},
                  {"expected", fmt::format("{:02x}", d->expected)},
                  {"got", fmt::format("{:02x}", d->found)}};
  return {
      {"suite", name(finding.suite)},
      {"backend", finding.backend},
      {"shape", {{"mode", name(shape.mode)}, {"direction", name(shape.direction)}, {"key_bits", bits(shape.key_size)}}},
      {"verdict", name(finding.judgement.verdict)},
      {"reason", finding.judgement.reason},
      {"difference", std::move(difference)},
      {"origin", finding.origin},
      {"case_file", finding.case_file.string()},
      {"replay", finding.case_file.empty() ? "" : replay_command(plan, finding)},
      {"note", finding.note}};
}

}  // namespace

std::string to_json(const Summary& summary, const Record& record) {
  const Conclusion conclusion = conclude(summary, record);
  Json report = json_head(summary.command, summary.host);
  report["seed"] = summary.plan.seed;
  report["effort"] = name(summary.plan.effort);
  report["modes"] = Json::array();
  for (const Mode mode : summary.plan.modes) report["modes"].push_back(name(mode));
  report["key_bits"] = Json::array();
  for (const KeySize size : summary.plan.key_sizes) report["key_bits"].push_back(bits(size));
  report["seconds"] = summary.seconds;
  report["backends"] = Json::array();
  for (const Summary::Backend& backend : summary.backends)
    report["backends"].push_back(backend_json(summary, backend, record));
  report["oracles"] = {{"agree", !record.has_oracle_failure()}, {"suspect_vectors", record.suspect_vectors()}};
  report["notes"] = record.notes();
  report["findings"] = Json::array();
  for (const Finding* finding : sorted_findings(summary, record))
    report["findings"].push_back(finding_json(*finding, summary.plan));
  report["verdict"] = conclusion.verdict;
  report["sentence"] = conclusion.sentence;
  report["exit_status"] = conclusion.exit_status;
  // A path need not be UTF-8; a report must be.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace aesgate
