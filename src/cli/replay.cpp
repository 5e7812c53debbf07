#include <unistd.h>
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/backends.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/case_text.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "oracle/oracle.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

struct ReplayOptions {
  std::vector<std::string> files, emulated;
  BackendOptions backends;
};

struct Loaded {
  std::string file;
  Case c;
  std::vector<const aesgate_backend*> backends;
};

/// A backend, one of the oracles, or both as "oracles": the names that failures have.
Result<std::vector<const aesgate_backend*>> find_named(const Backends& known, const std::string& spec) {
  const auto both = oracles();
  if (spec == "oracles") return std::vector(both.begin(), both.end());
  for (const aesgate_backend* oracle : both)
    if (oracle->name == spec) return std::vector{oracle};
  return known.find(spec).map([](const aesgate_backend* backend) { return std::vector{backend}; });
}

Result<std::vector<const aesgate_backend*>> available_backends(const Backends& known) {
  auto available = known.chosen();
  if (available) std::erase_if(*available, [](const aesgate_backend* b) { return !why_unavailable(*b).empty(); });
  return available;
}

Result<Loaded> load(const std::string& file, const Backends& known, const std::vector<std::string>& specs) {
  Result<Case> c = read_case(file);
  if (!c) return tl::unexpected(c.error());
  Loaded loaded{file, std::move(*c), {}};
  for (const std::string& spec : specs) {
    const auto named = find_named(known, spec);
    if (!named) return error("--backend: {}", named.error().message);
    loaded.backends.insert(loaded.backends.end(), named->begin(), named->end());
  }
  if (specs.empty() && !loaded.c.backend.empty()) {
    const auto named = find_named(known, loaded.c.backend);
    if (!named)
      return error("{}: backend: {}; --plugin finds one in a shared object, --backend names another", file,
                   named.error().message);
    loaded.backends = *named;
  }
  if (!loaded.backends.empty()) return loaded;
  auto available = available_backends(known);
  if (!available) return tl::unexpected(available.error());
  loaded.backends = std::move(*available);
  return loaded;
}

std::string case_text(const Loaded& loaded) {
  const Case& c = loaded.c;
  const char* unit = c.shape.mode == Mode::cfb1 ? "bits" : "bytes";
  const std::string calls = c.monte_carlo_steps > 0 ? fmt::format("{} Monte Carlo steps", c.monte_carlo_steps)
                            : c.repeated_to > 0     ? fmt::format("{} {} in 1 call", c.repeated_to, unit)
                                                    : fmt::format("{} {} in {} call{}", c.length, unit, c.chunks.size(),
                                                              c.chunks.size() == 1 ? "" : "s");
  std::string text =
      fmt::format("{}\n  {}, {}{}\n", loaded.file, name(c.shape), calls, c.placement.in_place ? ", in place" : "");
  if (c.conditions != Conditions{}) text += wrapped("  with ", to_text(c.conditions));
  if (!c.origin.empty()) text += wrapped("  from ", c.origin);
  return text;
}

/// The 16 bytes around `offset`, from a multiple of 16, that one in brackets.
std::string excerpt_text(const char* what, ByteView bytes, std::size_t offset) {
  const std::size_t from = offset / 16 * 16;
  if (from >= bytes.size()) return fmt::format("    {:<9} ends before byte {}\n", what, offset);
  std::string text = fmt::format("    {:<9} bytes {}..", what, from);
  const std::size_t to = std::min(bytes.size(), from + 16);
  text += fmt::format("{}: ", to - 1);
  for (std::size_t i = from; i < to; ++i) {
    const bool here = i == offset;
    text += fmt::format("{}{:02x}{}", here ? '[' : ' ', bytes[i], here ? ']' : ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::string difference_text(const Case& c, const Outcome& outcome, const Answer& answer, const Difference& difference) {
  std::string text = fmt::format("    {}, byte {} ({:#x}): expected {:02x}, got {:02x}\n", difference.field,
                                 difference.offset, difference.offset, difference.expected, difference.found);
  if (difference.field != "output") return text;
  const auto offset = static_cast<std::size_t>(difference.offset);
  // judge() compares with the vector first.
  const bool vector_differs = c.expected && *c.expected != outcome.output;
  text += excerpt_text("expected", vector_differs ? *c.expected : answer.output, offset);
  return text + excerpt_text("got", outcome.output, offset);
}

/// Runs one Case on one backend, adds what happened to `text` and gives the exit status that it alone would mean.
int replay_on(const aesgate_backend& backend, const Case& c, const Answer& answer, std::string& text) {
  const Outcome outcome = execute(backend, c);
  const Judgement judgement = judge(c, outcome, answer);
  const bool agrees = judgement.verdict == Verdict::agree;
  text += wrapped(fmt::format("  {:<14} ", backend.name),
                  agrees ? "agree" : fmt::format("{}: {}", name(judgement.verdict), judgement.reason));
  if (agrees) return 0;
  if (judgement.difference) text += difference_text(c, outcome, answer, *judgement.difference);
  return is_failure(judgement.verdict) ? 1 : 3;
}

/// 1 if anything failed, else 3 if anything did not run.
int worse(int a, int b) { return a == 1 || b == 1 ? 1 : std::max(a, b); }

Result<int> replay(const ReplayOptions& options) {
  if (const auto started = start_emulators(options.emulated); !started) return tl::unexpected(started.error());
  const auto known = Backends::load(options.backends);
  if (!known) return tl::unexpected(known.error());
  std::vector<Loaded> all;
  for (const std::string& file : options.files) {
    auto loaded = load(file, *known, options.backends.backends);
    if (!loaded) return tl::unexpected(loaded.error());
    all.push_back(std::move(*loaded));
  }
  int status = 0;
  for (const Loaded& loaded : all) {
    std::string text = case_text(loaded);
    const Result<Answer> answer = ask(loaded.c);
    if (!answer) {
      text += wrapped("  the oracles    ", answer.error().message);
      status = 1;
    }
    if (answer && loaded.backends.empty()) {
      text += "  no backend is available on this machine\n";
      status = worse(status, 3);
    }
    if (answer)
      for (const aesgate_backend* backend : loaded.backends)
        status = worse(status, replay_on(*backend, loaded.c, *answer, text));
    if (const auto printed = print(text); !printed) return tl::unexpected(printed.error());
  }
  return status;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("replay", "Run .case files, as a failure writes them, again");
  command->footer(
      "Examples:\n"
      "  aesgate replay aesgate-cases/*.case\n"
      "  aesgate replay --backend sbox bad.case    the same Case on another backend\n"
      "\n"
      "A file runs on the backend that it names, else on all that are available. A plugin's backend is found with\n"
      "--plugin: a file never says what code to load. The oracles' names, oracle-cryptopp and oracle-fips197, work\n"
      "here too.\n"
      "Exit status: 0 all agree, 1 a failure, 2 a bad file, 3 unavailable or unsupported.");
  const auto options = std::make_shared<ReplayOptions>();
  command->add_option("FILE", options->files, ".case files")->required()->type_name("");
  add_backend_options(*command, options->backends);
  add_emulate_option(*command, options->emulated);
  command->callback([&action, options] { action = [options] { return replay(*options); }; });
}

}  // namespace aesgate
