#include "props/constant_time/check.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "core/text_file.h"
#include "core/trap.h"
#include "props/constant_time/memcheck_job.h"
#include "props/constant_time/memcheck_xml.h"
#include "props/constant_time/worker.h"
#include "witness/nameless_copy.h"
#include "witness/program.h"
#include "witness/single_step.h"

namespace aesgate::constant_time {
namespace {

/// Some twenty times what the slowest worker took on a machine of its day; for one that hangs.
constexpr std::chrono::seconds time_limit{600};

/// Valgrind 3.19 (Debian 12) gives up at the DWARF 5 that clang 14 writes: "I can't recover"; 3.20 reads it. So it gets
/// a program without a file that it could read, and addr2line is asked for the lines.
std::string program_for_valgrind() {
  static const witness::NamelessCopy copy("/proc/self/exe");
  return copy.path();
}

std::vector<std::string> command_line(const Subject& subject, Method method, const Request& request) {
  Job job;
  job.parent = getpid();
  job.method = method;
  job.plugin = subject.plugin.empty() ? "" : std::filesystem::absolute(subject.plugin).string();
  job.backend = subject.spec;
  job.shapes = request.shapes;
  job.secret_text = request.secret_text;
  job.short_calls_only = request.short_calls_only;
  job.all_long_traces = request.all_long_traces;
  job.keys = request.keys;
  job.seed = request.seed;
  std::vector<std::string> words;
  if (method == Method::memcheck)
    // --command-line-only: not what the user has in ~/.valgrindrc. Origins tell what was marked from what nobody set.
    // One frame: the callers that valgrind finds without debug information are guesses, each an error of its own.
    words = {witness::find_program("valgrind"),
             "--command-line-only=yes",
             "--quiet",
             "--tool=memcheck",
             "--xml=yes",
             fmt::format("--xml-fd={}", witness::extra_descriptor),
             "--track-origins=yes",
             "--num-callers=1",
             "--leak-check=no",
             "--error-limit=no"};
  words.insert(words.end(),
               {method == Method::memcheck ? program_for_valgrind() : "/proc/self/exe", worker_argument, to_text(job)});
  return words;
}

/// The last line that says anything: valgrind's, or the worker's, reason to give up.
std::string last_words(const std::string& text) {
  if (text.find("debuginfo reader") != text.npos)
    return "valgrind cannot read the debug information of some object: without it, or as DWARF 4, it can";
  std::string last;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with("==")) line = trim(line.substr(std::min(line.find("==", 2), line.size() - 2) + 2));
    if (!line.empty()) last = line;
  }
  return excerpt(last);
}

std::string why_incomplete(const witness::ProgramRun& run, const Answer& answer) {
  if (run.timed_out) return fmt::format("no end in {} s", time_limit.count());
  if (!answer.failed.empty()) return answer.failed;
  const std::string said = last_words(run.err);
  const std::string by = run.signal != 0 ? signal_name(run.signal) : fmt::format("exit({})", run.status.value_or(0));
  return fmt::format("its process ended by {}{}{}", by, said.empty() ? "" : ": ", said);
}

void add_leak(std::vector<Leak>& leaks, const Leak& leak) {
  const auto known = std::ranges::find_if(leaks, [&](const Leak& other) {
    return other.place.line != 0 ? other.place.file == leak.place.file && other.place.line == leak.place.line
                                 : other.place == leak.place;
  });
  if (known == leaks.end())
    leaks.push_back(leak);
  else
    ++known->shapes;
}

void take_shapes(const Answer& answer, Conclusion& conclusion) {
  std::size_t without_long_calls = 0;
  for (const ShapeAnswer& shape : answer.shapes) {
    if (shape.state == ShapeAnswer::State::clean) ++conclusion.shapes_clean;
    if (shape.state == ShapeAnswer::State::leaks) ++conclusion.shapes_leaking;
    if (shape.state == ShapeAnswer::State::failed && conclusion.reason.empty())
      conclusion.reason = fmt::format("{}: {}", name(all_shapes()[shape.shape]), shape.reason);
    if (!shape.long_calls) ++without_long_calls;
    conclusion.steps += shape.steps;
    for (const Leak& leak : shape.leaks) add_leak(conclusion.leaks, leak);
  }
  if (without_long_calls > 0)
    conclusion.notes.push_back(
        fmt::format("long calls were not traced in {} shapes: too many instructions", without_long_calls));
}

void take_memcheck_report(const std::string& xml, const witness::LoadedProgram& program, Conclusion& conclusion) {
  const auto report = parse_memcheck_xml(xml, places_in_program(addresses_without_line(xml), program));
  if (!report) {
    if (conclusion.reason.empty()) conclusion.reason = report.error().message;
    return;
  }
  conclusion.leaks = report->secret;
  for (const Leak& other : report->other)
    conclusion.notes.push_back(fmt::format("valgrind also says: {}, in {}", other.what, to_text(other.place)));
  if (conclusion.shapes_leaking == 0 || !report->secret.empty() || !conclusion.reason.empty()) return;
  conclusion.reason = report->unclear.empty()
                          ? "valgrind found errors that are no leaks"
                          : fmt::format("in {} {}", to_text(report->unclear[0].place), report->unclear[0].what);
}

State state_of(const Conclusion& conclusion) {
  if (!conclusion.leaks.empty()) return State::leaks;
  if (!conclusion.reason.empty() || conclusion.shapes_clean == 0) return State::unknown;
  return State::constant_time;
}

}  // namespace

const std::vector<std::string>& control_names() {
  static const std::vector<std::string> names{"sbox", "ttable"};
  return names;
}

Claim claim_of(const aesgate_backend& backend, bool is_plugin) {
  const std::string_view kind = backend.kind;
  if (is_plugin || (kind != "software" && kind != "instruction")) return Claim::none;
  return std::ranges::find(control_names(), backend.name) != control_names().end() ? Claim::leaks
                                                                                   : Claim::constant_time;
}

std::string_view name(State state) {
  switch (state) {
    case State::constant_time: return "constant-time";
    case State::leaks: return "leaks";
    case State::unknown: return "unknown";
    case State::unavailable: return "unavailable";
  }
  return {};
}

std::string why_not(Method method) {
  if (method == Method::trace) return witness::why_no_single_steps();
  if (const std::string why = why_no_memcheck(); !why.empty()) return why;
  return witness::find_program("valgrind").empty() ? "there is no program valgrind; Debian's package is called so, too"
                                                   : "";
}

Conclusion check(const Subject& subject, Method method, const Request& request) {
  Conclusion conclusion;
  conclusion.subject = subject;
  conclusion.method = method;
  if (!subject.unavailable.empty()) {
    conclusion.state = State::unavailable;
    conclusion.reason = subject.unavailable;
    return conclusion;
  }
  const witness::ProgramRun run = witness::run_program(command_line(subject, method, request), time_limit);
  const Answer answer = parse_answer(run.out);
  if (!answer.unavailable.empty()) {
    conclusion.state = State::unavailable;
    conclusion.reason = answer.unavailable;
    return conclusion;
  }
  if (method == Method::trace) conclusion.keys = request.keys;
  take_shapes(answer, conclusion);
  if (!answer.complete)
    conclusion.reason = why_incomplete(run, answer);
  else if (answer.shapes.empty())
    conclusion.reason = "it does none of the shapes";
  if (method == Method::memcheck) take_memcheck_report(run.extra, answer.program, conclusion);
  conclusion.state = state_of(conclusion);
  return conclusion;
}

}  // namespace aesgate::constant_time
