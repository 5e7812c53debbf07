#include "report/summary.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/coverage_report.h"

namespace aesgate {
namespace {

std::string counted(std::uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

/// "beta CBC, beta OFB, gamma (all modes)": the backends of the summary with failures, in its order and that of Mode.
std::string where_failed(const Summary& summary, const Record& record) {
  std::vector<std::string> where;
  for (const Summary::Backend& backend : summary.backends) {
    const std::string backend_name = backend.backend->name;
    std::vector<std::string> cells;
    for (const Mode mode : all_modes)
      if (record.tally({{}, backend_name, mode, {}}).failures() > 0)
        cells.push_back(fmt::format("{} {}", backend_name, name(mode)));
    if (cells.size() == all_modes.size()) cells = {backend_name + " (all modes)"};
    where.insert(where.end(), cells.begin(), cells.end());
  }
  return fmt::format("{}", fmt::join(where, ", "));
}

Conclusion failed(const Summary& summary, const Record& record) {
  const Tally tally = record.tally({});
  return {1, "fail",
          fmt::format("FAIL: {} of {} failed: {}", grouped(tally.failures()),
                      counted(tally.count(Verdict::agree) + tally.failures(), "case"), where_failed(summary, record))};
}

Conclusion oracles_failed(const Record& record) {
  const std::map<std::string, std::string> suspects = record.suspect_vectors();
  if (suspects.empty())
    return {1, "oracles disagree",
            "FAIL: an oracle disagrees with a published vector or with the other; no backend can be judged"};
  const std::string more =
      suspects.size() > 1 ? fmt::format(" (and {})", counted(suspects.size() - 1, "more vector")) : "";
  return {1, "vector suspect", fmt::format("FAIL: {}{}; no backend can be judged", suspects.begin()->second, more)};
}

/// What ran less than is stated of it: the first class, and how many more; empty if nothing did.
std::string where_short(const Summary& summary, const Record& record) {
  if (!states_coverage(summary)) return {};
  std::string first;
  std::size_t more = 0;
  for (const Summary::Backend& backend : summary.backends)
    for (const ShapeCoverage& covered : coverage_of(summary, backend, record))
      for (const std::string& what : covered.short_of) {
        if (first.empty())
          first = fmt::format("{} {}: {}", backend.backend->name, name(covered.shape), what);
        else
          ++more;
      }
  return more == 0 ? first : fmt::format("{} (and {})", first, counted(more, "more shortfall"));
}

struct Claims {
  std::vector<std::string> refuted, unproven;  // "NAME (why)"
};

Claims claims_of(const Summary& summary) {
  Claims claims;
  for (const Summary::Backend& backend : summary.backends) {
    if (!backend.evidence || backend.evidence->proof == witness::Proof::proven) continue;
    const bool refuted = backend.evidence->proof == witness::Proof::refuted;
    (refuted ? claims.refuted : claims.unproven)
        .push_back(fmt::format("{} ({}{})", backend.backend->name,
                               refuted ? "" : fmt::format("{}: ", name(backend.evidence->proof)),
                               backend.evidence->reason));
  }
  return claims;
}

}  // namespace

std::string_view version() { return AESGATE_VERSION; }

std::string Summary::Backend::label() const {
  return fmt::format("{}{}", backend->name, emulated ? " (emulated)" : "");
}

std::vector<Suite> Summary::suites() const {
  std::vector<Suite> all;
  for (const Stage& stage : stages) all.insert(all.end(), stage.suites.begin(), stage.suites.end());
  return all;
}

std::string short_text(const witness::BackendProof& evidence) {
  std::string text(name(evidence.proof));
  if (evidence.proof == witness::Proof::proven)
    text += fmt::format(" {}", evidence.ran.substr(0, evidence.ran.find(';')));
  return text;
}

Conclusion conclude(const Summary& summary, const Record& record) {
  if (record.has_oracle_failure()) return oracles_failed(record);
  const auto [refuted, unproven] = claims_of(summary);
  if (record.tally({}).failures() > 0) {
    Conclusion conclusion = failed(summary, record);
    if (!refuted.empty()) conclusion.sentence += fmt::format("; claims refuted: {}", fmt::join(refuted, "; "));
    return conclusion;
  }
  if (!refuted.empty()) return {1, "claim refuted", fmt::format("FAIL: claims refuted: {}", fmt::join(refuted, "; "))};

  std::uint64_t ran = 0;
  std::uint64_t emulated = 0;
  std::vector<std::string> missing;
  for (const Summary::Backend& backend : summary.backends) {
    if (record.tally({{}, backend.backend->name, {}, {}}).count(Verdict::agree) > 0) {
      ++ran;
      emulated += backend.emulated;
    }
    if (const std::string why = why_missing(summary, backend, record); !why.empty())
      missing.push_back(fmt::format("{} ({})", backend.backend->name, why));
  }
  if (!missing.empty())
    return {3, "required missing", fmt::format("NOT PROVEN: required, but not checked: {}", fmt::join(missing, ", "))};
  if (ran == 0) return {3, "nothing checked", "NOT PROVEN: no case ran in any backend"};
  if (const std::string where = where_short(summary, record); !where.empty())
    return {3, "too few cases", fmt::format("NOT PROVEN: fewer boundary cases ran than must: {}", where)};
  if (summary.requires_proof && !unproven.empty())
    return {3, "unproven", fmt::format("NOT PROVEN: what ran is not proven: {}", fmt::join(unproven, "; "))};
  return {0, "pass",
          fmt::format("PASS: {} in {}{}, all agree{}", counted(record.tally({}).count(Verdict::agree), "case"),
                      counted(ran, "backend"), emulated > 0 ? fmt::format(" ({} emulated)", emulated) : "",
                      ran < summary.backends.size()
                          ? fmt::format("; {} not run", counted(summary.backends.size() - ran, "backend"))
                          : "")};
}

std::string why_missing(const Summary& summary, const Summary::Backend& backend, const Record& record) {
  if (std::ranges::find(summary.required, backend.backend->name) == summary.required.end()) return {};
  if (!backend.why_unavailable.empty()) return "unavailable: " + backend.why_unavailable;
  const Tally tally = record.tally({{}, backend.backend->name, {}, {}});
  if (tally.count(Verdict::agree) > 0) return {};
  const std::vector<std::string> reasons = reasons_not_run(tally);
  return reasons.empty() ? "no case ran" : fmt::format("{}", fmt::join(reasons, "; "));
}

std::vector<const Finding*> sorted_findings(const Summary& summary, const Record& record) {
  const auto place = [&](const std::string& backend) {
    const auto found = std::ranges::find(summary.backends, backend,
                                         [](const Summary::Backend& b) { return std::string(b.backend->name); });
    return found == summary.backends.end() ? -1 : found - summary.backends.begin();
  };
  std::vector<const Finding*> findings;
  for (const Finding& finding : record.findings()) findings.push_back(&finding);
  const auto key = [&](const Finding* f) {
    return std::tuple(place(f->backend), f->backend, f->shape.mode, f->suite, f->case_file);
  };
  std::ranges::stable_sort(findings, {}, key);
  return findings;
}

std::string replay_command(const Plan& plan, const Finding& finding) {
  const auto arguments = plan.replay_arguments.find(finding.backend);
  return fmt::format("aesgate replay {}{}", finding.case_file.string(),
                     arguments == plan.replay_arguments.end() ? "" : arguments->second);
}

std::vector<std::string> reasons_not_run(const Tally& tally) {
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < tally.counts.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (verdict == Verdict::agree || is_failure(verdict) || tally.counts[i] == 0) continue;
    const std::string& reason = tally.reasons[i];
    reasons.push_back(reason.empty() ? std::string(name(verdict)) : fmt::format("{}: {}", name(verdict), reason));
  }
  return reasons;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace aesgate
