#include "report/junit.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace aesgate {
namespace {

/// The bytes of the UTF-8 character at the start of `text` that XML 1.0 can hold (section 2.2, Char), or 0.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (first >= 0xf5 || size == 0 || size > text.size()) return 0;
  std::uint32_t code = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool no_character = (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return overlong || no_character ? 0 : size;
}

struct Testcase {
  std::string name;
  double seconds = 0;
  enum class Result { passed, failed, skipped } result = Result::passed;
  std::string message;
  std::string details;
  std::string counts;
};

/// "1,500 agree, 0 failed", or what else happened.
std::string counts_text(const Tally& tally) {
  const std::uint64_t agree = tally.count(Verdict::agree);
  if (agree + tally.failures() > 0) return fmt::format("{} agree, {} failed", agree, tally.failures());
  const std::vector<std::string> reasons = reasons_not_run(tally);
  return reasons.empty() ? "none" : fmt::format("none ({})", fmt::join(reasons, "; "));
}

std::string details_of(const Summary& summary, const Finding& finding) {
  return fmt::format("{} {} [{}: {}] {}: {}\n  seed {}; {}\n", finding.backend, name(finding.shape),
                     name(finding.suite), finding.origin, name(finding.judgement.verdict), finding.judgement.reason,
                     summary.plan.seed,
                     finding.case_file.empty() ? "no .case file: " + finding.note
                                               : "replay: " + replay_command(summary.plan, finding));
}

Testcase make_testcase(const Summary& summary, const Summary::Backend& backend, const Summary::Stage& stage, Mode mode,
                       const Record& record) {
  const std::string backend_name = backend.backend->name;
  Testcase test;
  test.name = fmt::format("{}.{}", stage.name, name(mode));
  if (const auto found = summary.seconds_of.find({stage.name, backend_name, mode}); found != summary.seconds_of.end())
    test.seconds = found->second;
  Tally tally;
  std::string by_evidence;
  for (const Suite suite : stage.suites) {
    const Tally of_suite = record.tally({suite, backend_name, mode, {}});
    by_evidence += fmt::format("{}: {}\n", name(suite), counts_text(of_suite));
    tally.add(of_suite);
  }
  test.counts = fmt::format("cases: {}\n{}", counts_text(tally), by_evidence);
  if (tally.failures() > 0) {
    test.result = Testcase::Result::failed;
    test.message =
        fmt::format("{} of {} cases failed", tally.failures(), tally.count(Verdict::agree) + tally.failures());
    for (const Finding* finding : sorted_findings(summary, record))
      if (finding->backend == backend_name && finding->shape.mode == mode &&
          std::ranges::find(stage.suites, finding->suite) != stage.suites.end())
        test.details += details_of(summary, *finding);
  } else if (tally.count(Verdict::agree) == 0) {
    const std::string missing = why_missing(summary, backend, record);
    test.result = missing.empty() ? Testcase::Result::skipped : Testcase::Result::failed;
    test.message =
        missing.empty() ? fmt::format("{}", fmt::join(reasons_not_run(tally), "; ")) : "required, but " + missing;
    if (test.message.empty()) test.message = "not run";
  }
  return test;
}

/// What a witness says of the claim. What it does not know is skipped, unless proof is required.
Testcase make_evidence(const Summary& summary, const witness::BackendProof& evidence) {
  using witness::Proof;
  Testcase test{"witness", 0, Testcase::Result::passed, {}, {}, {}};
  test.message = fmt::format("{}: {}", name(evidence.proof), evidence.reason);
  test.counts = fmt::format("{}{}\n", name(evidence.proof), evidence.ran.empty() ? "" : ", ran on " + evidence.ran);
  if (evidence.proof == Proof::refuted || (summary.requires_proof && evidence.proof != Proof::proven))
    test.result = Testcase::Result::failed;
  else if (evidence.proof == Proof::unknown)
    test.result = Testcase::Result::skipped;
  return test;
}

/// Lines, each escaped: a line feed may stand in XML text, and only there.
std::string escaped_lines(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    escaped += xml_escaped(text.substr(0, end)) + '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return escaped;
}

std::string to_xml(const std::string& suite, const Testcase& test) {
  std::string xml = fmt::format("    <testcase classname=\"aesgate.{}\" name=\"{}\" time=\"{:.3f}\">\n",
                                xml_escaped(suite), xml_escaped(test.name), test.seconds);
  if (test.result == Testcase::Result::skipped)
    xml += fmt::format("      <skipped message=\"{}\"/>\n", xml_escaped(test.message));
  if (test.result == Testcase::Result::failed)
    xml += fmt::format("      <failure message=\"{}\">{}</failure>\n", xml_escaped(test.message),
                       escaped_lines(test.details));
  if (!test.counts.empty()) xml += fmt::format("      <system-out>{}</system-out>\n", escaped_lines(test.counts));
  return xml + "    </testcase>\n";
}

using Properties = std::vector<std::pair<std::string, std::string>>;

std::string to_xml(const Properties& properties) {
  if (properties.empty()) return {};
  std::string xml = "    <properties>\n";
  for (const auto& [key, value] : properties)
    xml += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_escaped(key), xml_escaped(value));
  return xml + "    </properties>\n";
}

Properties properties_of(const Summary& summary, const Summary::Backend& backend, const Record& record) {
  const Tally tally = record.tally({{}, backend.backend->name, {}, {}});
  Properties properties{{"kind", backend.backend->kind},
                        {"unit", backend.backend->unit},
                        {"cases", std::to_string(tally.count(Verdict::agree) + tally.failures())},
                        {"seed", std::to_string(summary.plan.seed)},
                        {"effort", std::string(name(summary.plan.effort))},
                        {"cpu", summary.host.cpu},
                        {"compiler", summary.host.compiler}};
  for (const std::string& note : record.notes()) properties.emplace_back("note", note);
  return properties;
}

struct Counts {
  std::size_t tests = 0, failures = 0, skipped = 0;
  /// Those that <testsuites> may have too; the number skipped is a <testsuite>'s alone.
  [[nodiscard]] std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", tests, failures);
  }
};

std::string suite_xml(const std::string& suite, const std::vector<Testcase>& tests, const Properties& properties,
                      Counts& sum) {
  Counts counts;
  double seconds = 0;
  std::string body = to_xml(properties);
  for (const Testcase& test : tests) {
    ++counts.tests;
    counts.failures += test.result == Testcase::Result::failed;
    counts.skipped += test.result == Testcase::Result::skipped;
    seconds += test.seconds;
    body += to_xml(suite, test);
  }
  sum.tests += counts.tests;
  sum.failures += counts.failures;
  return fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\" time=\"{:.3f}\">\n{}  </testsuite>\n",
                     xml_escaped(suite), counts.attributes(), counts.skipped, seconds, body);
}

std::string oracles_xml(const Summary& summary, const Record& record, Counts& sum) {
  Testcase test{"oracles", 0, Testcase::Result::failed, conclude(summary, record).sentence, {}, {}};
  for (const Finding* finding : sorted_findings(summary, record)) test.details += details_of(summary, *finding);
  return suite_xml("oracles", {test}, {}, sum);
}

}  // namespace

std::string to_junit(const Summary& summary, const Record& record) {
  Counts sum;
  std::string body;
  if (record.has_oracle_failure()) body += oracles_xml(summary, record, sum);
  for (const Summary::Backend& backend : summary.backends) {
    std::vector<Testcase> tests;
    for (const Summary::Stage& stage : summary.stages)
      for (const Mode mode : summary.plan.modes) tests.push_back(make_testcase(summary, backend, stage, mode, record));
    if (backend.evidence) tests.push_back(make_evidence(summary, *backend.evidence));
    body += suite_xml(backend.label(), tests, properties_of(summary, backend, record), sum);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"aesgate {} {} seed {}\" {} time=\"{:.3f}\">\n{}"
      "</testsuites>\n",
      version(), xml_escaped(summary.command), summary.plan.seed, sum.attributes(), summary.seconds, body);
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    const std::string_view character = text.substr(0, size);
    if (size == 0)
      out += '?';
    else if (character == "&")
      out += "&amp;";
    else if (character == "<")
      out += "&lt;";
    else if (character == ">")
      out += "&gt;";
    else if (character == "\"")
      out += "&quot;";
    else
      out += character;
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

}  // namespace aesgate
