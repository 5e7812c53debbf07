#include "cli/acvp_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/emulator.h"
#include "report/json_head.h"
#include "report/summary.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

std::string label(const aesgate_backend& backend) {
  return fmt::format("{}{}", backend.name, emulator::is_emulated(backend) ? " (emulated)" : "");
}

}  // namespace

std::uint64_t AcvpReport::tests() const { return files->prompt.functional_tests() + files->prompt.monte_carlo_tests(); }

int AcvpReport::exit_status() const { return why_unavailable.empty() ? answers.exit_status() : 3; }

std::string AcvpReport::sentence(const Record& record) const {
  if (!why_unavailable.empty()) return fmt::format("NOT RUN: {} is unavailable: {}", backend->name, why_unavailable);
  const std::string all = counted(tests(), "test");
  if (answers.exit_status() == 0)
    return fmt::format("PASS: {} answers all {}; the response is in {}", label(*backend), all, out);
  std::string text = answers.exit_status() == 1 ? "FAIL:" : "INCOMPLETE:";
  if (record.has_oracle_failure())
    text += " the oracles disagree with each other, and no backend can be judged;";
  else if (answers.failed > 0)
    text += fmt::format(" {} of {} not answered right by {};", grouped(answers.failed), all, label(*backend));
  if (answers.unexpected > 0) text += fmt::format(" {} not as in {};", grouped(answers.unexpected), expected);
  if (answers.not_run > 0)
    text += fmt::format(" {} of {} not run by {} ({});", grouped(answers.not_run), all, label(*backend),
                        answers.why_not_run);
  return fmt::format("{} no response was written to {}", text, out);
}

std::vector<std::string> AcvpReport::notes() const {
  std::vector<std::string> notes = files->prompt.unread().notes(prompt);
  if (files->expected)
    for (std::string& note : files->expected->unread.notes(expected)) notes.push_back(std::move(note));
  return notes;
}

std::string acvp_headline(const acvp::Prompt& prompt) {
  return fmt::format("{} 1.0, vector set {}: {} functional and {} Monte Carlo tests in {}\n",
                     acvp::algorithm_name(prompt.head().mode), prompt.head().vs_id, grouped(prompt.functional_tests()),
                     grouped(prompt.monte_carlo_tests()), counted(prompt.groups(), "group"));
}

std::string to_text(const acvp::Failure& failure, const std::string& expected) {
  return fmt::format("FAIL tcId {}: {}{}\n", failure.tc_id, failure.what,
                     failure.unexpected ? fmt::format(" ({})", expected) : "");
}

std::string to_text(const AcvpReport& report, const Record& record) {
  std::string text;
  for (const std::string& note : report.notes()) text += wrapped("note: ", note);
  if (report.why_unavailable.empty()) {
    text += fmt::format(
        "{}: {} with both oracles", label(*report.backend),
        report.answers.agree == 1 ? "1 test agrees" : fmt::format("{} tests agree", grouped(report.answers.agree)));
    if (report.files->expected) text += fmt::format(", {} with {}", grouped(report.answers.expected), report.expected);
    text += '\n';
    if (report.answers.unexpected > 0 && report.answers.failed == 0)
      text += wrapped("note: ", fmt::format("where the answers differ from {}, both oracles say what {} says",
                                            report.expected, report.backend->name));
  }
  for (const Finding& finding : record.findings())
    text += finding.case_file.empty() ? fmt::format("no replay file: {}\n", finding.note)
                                      : fmt::format("replay: {}\n", replay_command(*report.plan, finding));
  return text + fmt::format("{}; {:.1f} s\n", report.sentence(record), report.seconds);
}

std::string to_json(const AcvpReport& report, const Record& record) {
  using Json = nlohmann::ordered_json;
  const acvp::Prompt& prompt = report.files->prompt;
  const acvp::Answers& answers = report.answers;
  Json json = json_head("acvp", describe_host());
  json["prompt"] = report.prompt;
  json["algorithm"] = acvp::algorithm_name(prompt.head().mode);
  json["revision"] = "1.0";
  json["vs_id"] = prompt.head().vs_id;
  json["groups"] = prompt.groups();
  json["functional_tests"] = prompt.functional_tests();
  json["monte_carlo_tests"] = prompt.monte_carlo_tests();
  json["backend"] = {{"name", report.backend->name},
                     {"kind", report.backend->kind},
                     {"unit", report.backend->unit},
                     {"emulated", emulator::is_emulated(*report.backend)},
                     {"reason", report.why_unavailable}};
  json["tests"] = {{"agree", answers.agree},
                   {"failed", answers.failed},
                   {"not_run", report.why_unavailable.empty() ? answers.not_run : report.tests()},
                   {"why_not_run", answers.why_not_run}};
  json["expected"] = nullptr;
  if (report.files->expected)
    json["expected"] = {{"file", report.expected}, {"equal", answers.expected}, {"different", answers.unexpected}};
  json["failures"] = Json::array();
  for (const acvp::Failure& failure : report.failures)
    json["failures"].push_back(
        {{"tc_id", failure.tc_id}, {"against", failure.unexpected ? "expected" : "oracles"}, {"what", failure.what}});
  json["case_files"] = Json::array();
  for (const Finding& finding : record.findings())
    if (!finding.case_file.empty()) json["case_files"].push_back(finding.case_file.string());
  json["notes"] = report.notes();
  json["response"] = nullptr;
  if (answers.written) json["response"] = report.out;
  json["seconds"] = report.seconds;
  json["sentence"] = report.sentence(record);
  json["exit_status"] = report.exit_status();
  // A path need not be UTF-8; a report must be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace aesgate
