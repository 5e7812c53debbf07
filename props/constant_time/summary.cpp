#include "props/constant_time/summary.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/text_table.h"

namespace aesgate::constant_time {
namespace {

using Json = nlohmann::ordered_json;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool has_ended(const Conclusion& conclusion) {
  return conclusion.state == State::constant_time || conclusion.state == State::leaks;
}

std::string with_reason(const Conclusion& conclusion) {
  return fmt::format("{} ({}{}{})", conclusion.subject.name, name(conclusion.state),
                     conclusion.reason.empty() ? "" : ": ", conclusion.reason);
}

template <typename Predicate>
std::vector<std::string> those(const std::vector<Conclusion>& conclusions, Predicate is_one) {
  std::vector<std::string> texts;
  for (const Conclusion& conclusion : conclusions)
    if (is_one(conclusion)) texts.push_back(with_reason(conclusion));
  return texts;
}

/// The controls that say too little, of which one is enough; also a control that is among the subjects.
std::vector<std::string> bad_controls(const Summary& summary) {
  std::vector<std::string> texts;
  for (const Conclusion& control : summary.controls)
    if (control.state != State::leaks)
      texts.push_back(fmt::format("{} by {}", with_reason(control), name(control.method)));
  for (const Conclusion& conclusion : summary.conclusions)
    if (conclusion.subject.claim == Claim::leaks && conclusion.state == State::constant_time)
      texts.push_back(fmt::format("{} by {}", with_reason(conclusion), name(conclusion.method)));
  return texts;
}

std::vector<std::string> not_proven(const Summary& summary) {
  std::vector<std::string> texts = those(summary.conclusions, [&](const Conclusion& c) {
    const std::string& name = c.subject.name;
    const bool needed = contains(summary.judged, name) || contains(summary.required, name);
    return !has_ended(c) && (needed || (summary.is_judged(c) && c.state == State::unknown));
  });
  return texts;
}

Tone tone_of(const Summary& summary, const Conclusion& conclusion) {
  if (!summary.is_judged(conclusion)) return Tone::plain;
  return conclusion.state == State::constant_time ? Tone::good
         : conclusion.state == State::unavailable ? Tone::plain
                                                  : Tone::bad;
}

/// "36 of 36", of the shapes that the backend does.
std::string shapes_text(const Conclusion& conclusion) {
  if (!has_ended(conclusion)) return "-";
  return fmt::format("{} of {}", conclusion.shapes_clean, conclusion.shapes_clean + conclusion.shapes_leaking);
}

std::string evidence_text(const Conclusion& conclusion) {
  if (conclusion.state == State::unavailable) return "-";
  if (conclusion.method == Method::memcheck) return "valgrind";
  return conclusion.keys == 0 ? "-" : fmt::format("{} traces", conclusion.keys);
}

std::string claim_text(const Summary& summary, const Conclusion& conclusion) {
  if (conclusion.subject.claim == Claim::leaks) return "leaks";
  if (conclusion.subject.claim == Claim::constant_time) return "constant-time";
  return summary.is_judged(conclusion) ? "required" : "-";
}

/// "leaks at sub_word (sbox.cpp:41) and 5 other places"
std::string verdict_text(const Conclusion& conclusion) {
  if (conclusion.state != State::leaks || conclusion.leaks.empty()) return std::string(name(conclusion.state));
  const std::size_t others = conclusion.leaks.size() - 1;
  return fmt::format("leaks at {}{}", to_text(conclusion.leaks[0].place),
                     others == 0   ? ""
                     : others == 1 ? " and 1 other place"
                                   : fmt::format(" and {} other places", others));
}

std::string table(const Summary& summary, const std::vector<Conclusion>& conclusions, bool colour) {
  TextTable table;
  table.add({{"backend"}, {"claims"}, {"evidence"}, {"clean shapes"}, {"verdict"}});
  for (const Conclusion& c : conclusions)
    table.add({{c.subject.name},
               {claim_text(summary, c)},
               {evidence_text(c)},
               {shapes_text(c)},
               {std::string(name(c.state)), tone_of(summary, c)}});
  return table.text(colour);
}

std::string details(const Conclusion& conclusion) {
  constexpr std::size_t most = 6;
  const std::string& who = conclusion.subject.name;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, conclusion.leaks.size()); ++i)
    text += wrapped(fmt::format("{} leaks at ", who),
                    fmt::format("{}: {}", to_text(conclusion.leaks[i].place), conclusion.leaks[i].what));
  if (conclusion.leaks.size() > most)
    text += fmt::format("{} leaks at {} other places, which --json lists\n", who, conclusion.leaks.size() - most);
  if (!conclusion.reason.empty())
    text += wrapped(fmt::format("{} is {}: ", who, name(conclusion.state)), conclusion.reason);
  for (const std::string& note : conclusion.notes) text += wrapped(fmt::format("note: {}: ", who), note);
  return text;
}

std::string controls_text(const Summary& summary) {
  std::string text;
  for (const Conclusion& control : summary.controls)
    text += wrapped(
        fmt::format("control, by {}: ", name(control.method)),
        fmt::format("{} {}", control.subject.name, has_ended(control) ? verdict_text(control) : with_reason(control)));
  return text;
}

Json to_json(const Leak& leak) {
  return {{"function", leak.place.function},
          {"file", leak.place.file},
          {"line", leak.place.line},
          {"object", leak.place.object},
          {"what", leak.what}};
}

Json to_json(const Summary& summary, const Conclusion& c) {
  Json leaks = Json::array();
  for (const Leak& leak : c.leaks) leaks.push_back(to_json(leak));
  const Claim claim = c.subject.claim;
  return {{"name", c.subject.name},
          {"claim", claim == Claim::none ? Json() : Json(claim == Claim::leaks ? "leaks" : "constant-time")},
          {"judged", summary.is_judged(c)},
          {"method", name(c.method)},
          {"verdict", name(c.state)},
          {"reason", c.reason},
          {"shapes_clean", c.shapes_clean},
          {"shapes_leaking", c.shapes_leaking},
          {"keys", c.keys},
          {"instructions", c.steps},
          {"leaks", std::move(leaks)},
          {"notes", c.notes}};
}

}  // namespace

bool Summary::is_judged(const Conclusion& conclusion) const {
  return conclusion.subject.claim == Claim::constant_time || contains(judged, conclusion.subject.name);
}

Sentence conclude(const Summary& summary) {
  const auto leaking = [&](const Conclusion& c) { return summary.is_judged(c) && c.state == State::leaks; };
  if (const auto leaks = those(summary.conclusions, leaking); !leaks.empty()) {
    std::vector<std::string> texts;
    for (const Conclusion& c : summary.conclusions)
      if (leaking(c)) texts.push_back(fmt::format("{} {}", c.subject.name, verdict_text(c)));
    return {1, fmt::format("FAIL: {}", fmt::join(texts, "; "))};
  }
  if (!summary.method_missing.empty()) return {3, fmt::format("NOT PROVEN: {}", summary.method_missing)};
  if (const auto bad = bad_controls(summary); !bad.empty())
    return {3, fmt::format("INVALID: what is known to leak was not seen to: {}", fmt::join(bad, ", "))};
  if (const auto open = not_proven(summary); !open.empty())
    return {3, fmt::format("NOT PROVEN: {}", fmt::join(open, ", "))};
  const auto count = [&](State state) { return std::ranges::count(summary.conclusions, state, &Conclusion::state); };
  if (std::ranges::none_of(summary.conclusions, has_ended)) return {3, "NOT PROVEN: nothing could be checked"};
  const auto other = [&](State state, const char* words) {
    return count(state) == 0 ? "" : fmt::format("; {} {}", count(state), words);
  };
  return {0, fmt::format("PASS: {} constant-time{}{}{}; {:.1f} s", count(State::constant_time),
                         other(State::leaks, "known or found to leak, of which none has to be constant-time"),
                         other(State::unknown, "unknown"), other(State::unavailable, "unavailable"), summary.seconds)};
}

std::string to_text(const Summary& summary, bool colour) {
  std::string text = fmt::format("Does {} decide which memory is touched, or which instruction comes next?\n\n",
                                 summary.request.secret_text ? "the key or the text" : "the key");
  text += table(summary, summary.conclusions, colour) + '\n';
  for (const Conclusion& conclusion : summary.conclusions) text += details(conclusion);
  text += controls_text(summary);
  for (const std::string& note : summary.notes) text += wrapped("note: ", note);
  const Sentence sentence = conclude(summary);
  const auto end = sentence.text.find(':');
  return text + '\n' +
         painted(sentence.text.substr(0, end), sentence.exit_status == 0 ? Tone::good : Tone::bad, colour) +
         sentence.text.substr(end) + '\n';
}

Json to_json(const Summary& summary) {
  Json report = {{"seed", summary.request.seed},
                 {"keys", summary.request.keys},
                 {"secret", summary.request.secret_text ? Json{"key", "text"} : Json{"key"}},
                 {"seconds", summary.seconds}};
  for (const auto& [member, conclusions] :
       {std::pair{"backends", &summary.conclusions}, std::pair{"controls", &summary.controls}}) {
    report[member] = Json::array();
    for (const Conclusion& conclusion : *conclusions) report[member].push_back(to_json(summary, conclusion));
  }
  report["notes"] = summary.notes;
  const Sentence sentence = conclude(summary);
  static constexpr std::array verdicts{"pass", "fail", "", "not proven"};
  report["verdict"] =
      sentence.text.starts_with("INVALID") ? "invalid" : verdicts[static_cast<std::size_t>(sentence.exit_status)];
  report["sentence"] = sentence.text;
  report["exit_status"] = sentence.exit_status;
  return report;
}

}  // namespace aesgate::constant_time
