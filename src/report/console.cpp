#include "report/console.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/coverage_report.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

/// Failures that are shown in full; the others have their .case files and the other reports.
constexpr std::size_t findings_shown = 12;

/// The same for classes of which too few Cases ran, in each backend.
constexpr std::size_t shortfalls_shown = 4;

/// The letters that stand for reasons in the cells of the tables.
class Footnotes {
 public:
  std::string letter(const std::string& reason) {
    auto found = std::ranges::find(reasons_, reason);
    if (found == reasons_.end()) found = reasons_.insert(found, reason);
    return letter_of(static_cast<std::size_t>(found - reasons_.begin()));
  }

  [[nodiscard]] std::string list() const {
    std::string text;
    for (std::size_t i = 0; i < reasons_.size(); ++i)
      text += wrapped(fmt::format("  {:<3}", letter_of(i)), reasons_[i]);
    return text.empty() ? text : text + '\n';
  }

 private:
  /// a, b, …, z, aa, bb, …
  static std::string letter_of(std::size_t i) { return std::string(i / 26 + 1, static_cast<char>('a' + i % 26)); }

  std::vector<std::string> reasons_;
};

std::string finding_text(const Finding& finding, const Plan& plan, bool colour) {
  const Judgement& judgement = finding.judgement;
  const std::string title =
      fmt::format("FAIL {} {}: {}", finding.backend, name(finding.shape), name(judgement.verdict));
  std::string text = painted(title, Tone::bad, colour) + '\n';
  text += wrapped("  what      ", judgement.reason);
  if (const auto& difference = judgement.difference) {
    text +=
        fmt::format("  where     byte {} ({:#x}) of: {}\n", difference->offset, difference->offset, difference->field);
    text += fmt::format("  values    expected {:02x}, got {:02x}\n", difference->expected, difference->found);
  }
  text += wrapped("  evidence  ", fmt::format("{}: {}", name(finding.suite), finding.origin));
  text += fmt::format("  seed      {}\n", plan.seed);
  if (finding.case_file.empty()) return text + wrapped("  replay    ", "not possible: " + finding.note) + '\n';
  return text + fmt::format("  replay: {}\n\n", replay_command(plan, finding));
}

class Console {
 public:
  Console(const Summary& summary, const Record& record, bool colour)
      : summary_(summary), record_(record), colour_(colour) {}

  [[nodiscard]] std::string text() {
    std::string text = head();
    if (!record_.has_oracle_failure()) {
      // One after the other: the list has the letters that the tables gave out.
      text += matrix();
      text += evidence();
      text += coverage();
      if (record_.tally({}).failures() > 0) text += "FAIL n/m: n of m cases failed\n\n";
      text += footnotes_.list();
    }
    return text + witnessed() + notes() + findings_text(sorted_findings(summary_, record_), summary_.plan, colour_) +
           verdict();
  }

 private:
  [[nodiscard]] std::string head() const {
    return fmt::format("aesgate {} {}\n{}, {}, {}\n{}\n", version(), summary_.command, summary_.host.cpu,
                       summary_.host.system, summary_.host.compiler, hidden_features(summary_.host));
  }

  [[nodiscard]] Cell cell(const Record::Filter& filter) {
    const Tally tally = record_.tally(filter);
    const std::uint64_t agree = tally.count(Verdict::agree);
    Cell cell;
    if (tally.failures() > 0) {
      cell = {fmt::format("FAIL {}/{}", grouped(tally.failures()), grouped(agree + tally.failures())), Tone::bad};
    } else if (agree > 0) {
      cell = {grouped(agree), Tone::good};
    } else {
      cell = {"-", Tone::plain};
    }
    for (const std::string& reason : reasons_not_run(tally)) cell.text += ' ' + footnotes_.letter(reason);
    return cell;
  }

  [[nodiscard]] std::string matrix() {
    TextTable table;
    std::vector<Cell> head{{"backend", Tone::plain}};
    for (const Mode mode : summary_.plan.modes) head.push_back({std::string(name(mode)), Tone::plain});
    table.add(head);
    for (const Summary::Backend& backend : summary_.backends) {
      std::vector<Cell> row{{backend.label(), Tone::plain}};
      for (const Mode mode : summary_.plan.modes) row.push_back(cell({{}, backend.backend->name, mode, {}}));
      table.add(row);
    }
    return "Cases that agree with the published vectors and both oracles, by mode\n\n" + table.text(colour_) + '\n';
  }

  [[nodiscard]] std::string evidence() {
    TextTable table;
    std::vector<Cell> head{{"backend", Tone::plain}};
    for (const Suite suite : summary_.suites()) head.push_back({std::string(name(suite)), Tone::plain});
    table.add(head);
    for (const Summary::Backend& backend : summary_.backends) {
      std::vector<Cell> row{{backend.label(), Tone::plain}};
      for (const Suite suite : summary_.suites()) row.push_back(cell({suite, backend.backend->name, {}, {}}));
      table.add(row);
    }
    return "The same cases, by kind of evidence\n\n" + table.text(colour_) + '\n';
  }

  /// What ran of the boundary Cases, a line a backend, and what ran too seldom.
  [[nodiscard]] std::string coverage() const {
    if (!states_coverage(summary_)) return {};
    TextTable table;
    table.add({{"backend", Tone::plain},
               {"cases", Tone::plain},
               {"of", Tone::plain},
               {"shapes", Tone::plain},
               {"classes", Tone::plain},
               {"too few in", Tone::plain}});
    std::string shortfalls;
    for (const Summary::Backend& backend : summary_.backends) {
      const std::vector<ShapeCoverage> shapes = coverage_of(summary_, backend, record_);
      if (shapes.empty()) continue;
      std::uint64_t ran = 0, planned = 0, classes = 0, few = 0;
      for (const ShapeCoverage& covered : shapes) {
        ran += covered.ran;
        planned += covered.planned;
        classes += covered.classes;
        few += covered.short_of.size();
      }
      table.add({{backend.label(), Tone::plain},
                 {grouped(ran), Tone::plain},
                 {grouped(planned), Tone::plain},
                 {grouped(shapes.size()), Tone::plain},
                 {grouped(classes), Tone::plain},
                 few > 0 ? Cell{grouped(few), Tone::bad} : Cell{"-", Tone::good}});
      shortfalls += shortfalls_text(backend, shapes);
    }
    if (table.empty()) return {};
    return "Boundary cases, the same in every run; a class is a size, and a kind of split or what else a case has\n\n" +
           table.text(colour_) + '\n' + shortfalls;
  }

  [[nodiscard]] static std::string shortfalls_text(const Summary::Backend& backend,
                                                   const std::vector<ShapeCoverage>& shapes) {
    std::string text;
    std::size_t shown = 0;
    for (const ShapeCoverage& covered : shapes)
      for (const std::string& what : covered.short_of)
        if (shown++ < shortfalls_shown)
          text += wrapped("too few: ", fmt::format("{} {}: {}", backend.label(), name(covered.shape), what));
    if (shown > shortfalls_shown) text += fmt::format("and {} more in {}\n", shown - shortfalls_shown, backend.label());
    return text.empty() ? text : text + '\n';
  }

  /// What each ran on, and what is said of those that are not proven, or of which more is known.
  [[nodiscard]] std::string witnessed() const {
    TextTable table;
    table.add({{"backend", Tone::plain}, {"claims", Tone::plain}, {"evidence", Tone::plain}});
    std::string remarks;
    for (const Summary::Backend& backend : summary_.backends) {
      if (!backend.evidence) continue;
      const witness::BackendProof& evidence = *backend.evidence;
      const bool proven = evidence.proof == witness::Proof::proven;
      table.add({{backend.label(), Tone::plain},
                 {backend.backend->unit, Tone::plain},
                 {short_text(evidence), proven                                      ? Tone::good
                                        : evidence.proof == witness::Proof::refuted ? Tone::bad
                                                                                    : Tone::plain}});
      if (!proven)
        remarks +=
            wrapped(fmt::format("{}: ", backend.label()), fmt::format("{}: {}", name(evidence.proof), evidence.reason));
      else if (evidence.ran.find(';') != std::string::npos)
        remarks += wrapped(fmt::format("{}: ", backend.label()), "ran on " + evidence.ran);
    }
    if (table.empty()) return {};
    return "What ran, by the AES instructions of some calls; 'aesgate witness' looks closer\n\n" + table.text(colour_) +
           '\n' + remarks + (remarks.empty() ? "" : "\n");
  }

  [[nodiscard]] std::string notes() const {
    std::string text;
    for (const std::string& note : record_.notes()) text += wrapped("note: ", note);
    return text.empty() ? text : text + '\n';
  }

  [[nodiscard]] std::string verdict() const {
    const Conclusion conclusion = conclude(summary_, record_);
    const std::string line =
        fmt::format("{}; seed {}; {:.1f} s", conclusion.sentence, summary_.plan.seed, summary_.seconds);
    return painted(line, conclusion.exit_status == 0 ? Tone::good : Tone::bad, colour_) + '\n';
  }

  const Summary& summary_;
  const Record& record_;
  bool colour_;
  Footnotes footnotes_;
};

/// The first of each backend, then the first of each of its modes, then the others, until there are enough: one that
/// fails in everything does not hide the rest.
std::set<const Finding*> to_be_shown(const std::vector<const Finding*>& findings) {
  std::set<const Finding*> shown;
  const auto show = [&](auto is_next) {
    for (const Finding* finding : findings)
      if (shown.size() < findings_shown && is_next(*finding)) shown.insert(finding);
  };
  std::set<std::string> backends;
  std::set<std::pair<std::string, Mode>> modes;
  show([&](const Finding& f) { return backends.insert(f.backend).second; });
  show([&](const Finding& f) { return modes.insert({f.backend, f.shape.mode}).second; });
  show([](const Finding&) { return true; });
  return shown;
}

}  // namespace

std::string findings_text(const std::vector<const Finding*>& findings, const Plan& plan, bool colour) {
  std::string text;
  const std::set<const Finding*> shown = to_be_shown(findings);
  for (const Finding* finding : findings)
    if (shown.contains(finding)) text += finding_text(*finding, plan, colour);
  if (findings.size() > shown.size())
    text += fmt::format("and {} more, each with a .case file beside those above\n\n", findings.size() - shown.size());
  return text;
}

std::string to_console(const Summary& summary, const Record& record, bool colour) {
  return Console(summary, record, colour).text();
}

}  // namespace aesgate
