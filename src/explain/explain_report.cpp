#include "explain/explain_report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "explain/quantity.h"
#include "report/json_head.h"
#include "report/text_table.h"

namespace aesgate::explain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> clocks{"elapsed", "cpu", "unknown"};

std::string_view name(Clock clock) { return clocks[static_cast<std::size_t>(clock)]; }

/// What a text has may control a terminal; what is printed may not.
std::string harmless(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string heading(const Subject& subject) {
  const SpeedRun& run = *subject.run;
  const Invocation& said = run.invocation;
  std::string text =
      fmt::format("{}: ", run.place.line > 0 || !run.place.file.empty() ? run.place.text() : said.place.text());
  text += run.algorithm.name.empty() ? "nothing that was timed" : run.algorithm.text();
  text += fmt::format(", {}", aesgate::explain::name(said.tool));
  if (!said.version.empty()) text += ' ' + said.version;
  if (!run.variant.empty()) text += ", " + run.variant;
  if (!said.engine.empty()) text += ", engine " + said.engine;
  if (said.evp) text += *said.evp ? ", -evp" : ", no -evp";
  if (said.processes > 1) text += fmt::format(", {} processes", said.processes);
  text += said.clock == Clock::elapsed ? ", elapsed time"
          : said.clock == Clock::cpu   ? ", CPU time"
                                       : ", CPU or elapsed time";
  if (subject.share) text += fmt::format(", {} of the CPU", percent_text(*subject.share));
  return text;
}

std::string figures(const Subject& subject) {
  const SpeedRun& run = *subject.run;
  if (!run.not_timed.empty()) return "not timed: " + run.not_timed;
  std::string text;
  if (subject.line)
    text = fmt::format("set-up {} a call, {} a byte ({} sizes, {} off the line at most); ",
                       duration_text(subject.line->setup, subject.line->setup_error),
                       duration_text(subject.line->per_byte, subject.line->per_byte_error), subject.line->sizes,
                       percent_text(subject.line->worst));
  if (run.nanoseconds_per_byte) text += fmt::format("{} a byte; ", duration_text(*run.nanoseconds_per_byte * 1e-9));
  if (run.cycles_per_byte)
    text += fmt::format("{} {} a byte; ", significant(*run.cycles_per_byte), run.cycles_are_ticks ? "ticks" : "cycles");
  const Sample* sample = largest(run);
  const double rate = run.nanoseconds_per_byte ? 1e9 / *run.nanoseconds_per_byte
                      : sample != nullptr      ? elapsed_rate(run, *sample)
                                               : 0;
  text += rate > 0 ? rate_text(rate) : "no rate";
  if (rate > 0 && sample != nullptr && sample->bytes > 0) text += fmt::format(" at {} bytes", sample->bytes);
  return text;
}

std::string runs_text(const Explanation& explanation) {
  std::string text;
  for (const Subject& subject : explanation.subjects) {
    text += wrapped(fmt::format("  {:<7}", subject.label), harmless(heading(subject)));
    text += wrapped("         ", harmless(figures(subject)));
  }
  return text.empty() ? text : "Runs\n" + text;
}

std::string list_text(const Explanation& explanation, List list, std::string_view title) {
  std::string text;
  for (const Conclusion& conclusion : explanation.conclusions) {
    if (conclusion.list != list) continue;
    const std::string head =
        list == List::fact ? "  - " : fmt::format("  - {}: ", aesgate::explain::name(conclusion.sure));
    // Later lines under the words, not under the end of a long head.
    std::string lines = wrapped("  - ", head.substr(4) + harmless(conclusion.text));
    text += lines;
  }
  return text.empty() ? fmt::format("\n{}\n  none\n", title) : fmt::format("\n{}\n{}", title, text);
}

Json number_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json fit_json(const std::optional<Fit>& line) {
  if (!line) return nullptr;
  return {{"setup_seconds", line->setup},       {"setup_error", line->setup_error},
          {"seconds_per_byte", line->per_byte}, {"per_byte_error", line->per_byte_error},
          {"worst_residual", line->worst},      {"sizes", line->sizes}};
}

Json run_json(const Subject& subject) {
  const SpeedRun& run = *subject.run;
  const Invocation& said = run.invocation;
  Json samples = Json::array();
  for (const Sample& sample : run.samples)
    samples.push_back({{"bytes", sample.bytes},
                       {"bytes_per_second", number_or_null(sample.bytes_per_second)},
                       {"elapsed_bytes_per_second", number_or_null(elapsed_rate(run, sample))}});
  return {{"label", subject.label},
          {"file", run.place.file},
          {"line", run.place.line},
          {"tool", aesgate::explain::name(said.tool)},
          {"algorithm", run.algorithm.name},
          {"direction", run.algorithm.direction ? Json(aesgate::name(*run.algorithm.direction)) : Json(nullptr)},
          {"key_bits", run.algorithm.key_bits},
          {"variant", run.variant},
          {"version", said.version},
          {"engine", said.engine},
          {"evp", said.evp ? Json(*said.evp) : Json(nullptr)},
          {"clock", name(said.clock)},
          {"processes", said.processes},
          {"cpu_share", subject.share ? Json(*subject.share) : Json(nullptr)},
          {"not_timed", run.not_timed},
          {"fit", fit_json(subject.line)},
          {"samples", std::move(samples)}};
}

}  // namespace

std::string to_text(const Explanation& explanation) {
  std::string text = runs_text(explanation);
  text += list_text(explanation, List::fact, "Facts: in the text, or arithmetic on it");
  text += list_text(explanation, List::inference, "Inferences: what follows from them");
  text += list_text(explanation, List::cause, "Likely causes: what would explain it");
  text += "\nRun next\n";
  for (const std::string& command : explanation.next) text += "  " + harmless(command) + '\n';
  if (explanation.next.empty()) text += "  nothing\n";
  return text;
}

Json to_json(const Explanation& explanation) {
  Json json = json_head("explain", describe_host());
  json["runs"] = Json::array();
  for (const Subject& subject : explanation.subjects) json["runs"].push_back(run_json(subject));
  json["conclusions"] = Json::array();
  for (const Conclusion& conclusion : explanation.conclusions)
    json["conclusions"].push_back({{"kind", conclusion.kind},
                                   {"list", aesgate::explain::name(conclusion.list)},
                                   {"sure", aesgate::explain::name(conclusion.sure)},
                                   {"text", conclusion.text}});
  json["next"] = explanation.next;
  json["exit_status"] = exit_status(explanation);
  return json;
}

int exit_status(const Explanation& explanation) { return explanation.failed ? 1 : 0; }

}  // namespace aesgate::explain
