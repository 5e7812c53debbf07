// aesgate witness BACKEND…: what a backend runs on, beside what it says.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "cli/task_pool.h"
#include "cli/witness_command.h"
#include "cli/witness_report.h"
#include "core/registry.h"
#include "emulator/emulator.h"
#include "report/json_head.h"
#include "report/progress.h"
#include "report/summary.h"

namespace aesgate {
namespace {

using witness::BackendSubject;
using witness::BackendWitness;
using witness::WitnessRequest;

struct WitnessOptions {
  BackendOptions backends;
  std::vector<std::string> names, emulated, modes, directions, key_bits;
  std::string jobs, json;
  bool require_proof = false;
};

Result<std::vector<Direction>> parse_directions(const std::vector<std::string>& names) {
  std::vector<Direction> directions;
  for (const std::string& text : names) {
    const auto direction = parse_direction(text);
    if (!direction) return tl::unexpected(direction.error());
    directions.push_back(*direction);
  }
  if (directions.empty()) directions.assign(all_directions.begin(), all_directions.end());
  return directions;
}

Result<WitnessRequest> request_from(const WitnessOptions& options) {
  const auto modes = parse_modes(options.modes);
  if (!modes) return tl::unexpected(modes.error());
  const auto directions = parse_directions(options.directions);
  if (!directions) return tl::unexpected(directions.error());
  const auto key_sizes = parse_key_sizes(options.key_bits);
  if (!key_sizes) return tl::unexpected(key_sizes.error());
  const auto is_in = [](const auto& all, const auto& one) { return std::ranges::find(all, one) != all.end(); };
  WitnessRequest request;
  request.budget = WitnessRequest::thorough();
  for (const Shape& shape : all_shapes())
    if (is_in(*modes, shape.mode) && is_in(*directions, shape.direction) && is_in(*key_sizes, shape.key_size))
      request.shapes.push_back(index(shape));
  if (!options.backends.time_limit.empty()) {
    const auto seconds = parse_seconds("--time-limit", options.backends.time_limit);
    if (!seconds) return tl::unexpected(seconds.error());
    request.limit = std::chrono::seconds(static_cast<long>(std::ceil(*seconds)));
  }
  return request;
}

/// A run, from the subjects to the summary.
class WitnessRun {
 public:
  WitnessRun(WitnessRequest request, unsigned threads) : request_(std::move(request)), threads_(threads) {}

  Result<void> run(const std::vector<BackendSubject>& subjects, WitnessSummary& summary) {
    Progress* bar = nullptr;
    const Interrupt interrupt([&](int) {
      if (bar != nullptr) bar->stop();
      print_error("interrupted; there is no verdict");
    });
    Progress progress(record_);
    bar = &progress;
    const auto start = std::chrono::steady_clock::now();
    summary.backends.resize(subjects.size());
    std::vector<std::function<Result<void>()>> tasks;
    for (std::size_t i = 0; i < subjects.size(); ++i)
      tasks.emplace_back([&, i]() -> Result<void> {
        progress.started(subjects[i].name);
        summary.backends[i] = witness_backend(subjects[i], request_);
        progress.finished(subjects[i].name);
        progress.milestone(fmt::format("{}: {}", subjects[i].name, short_text(summary.backends[i].conclusion)));
        return {};
      });
    progress.phase(tasks.size());
    const auto ran = run_tasks(tasks, threads_);
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return ran;
  }

 private:
  const WitnessRequest request_;
  const unsigned threads_;
  Record record_{""};
};

Result<void> report(const WitnessSummary& summary, const std::string& json) {
  const bool to_stdout = json == "-";
  const std::string text = to_text(summary, wants_colour(to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (to_stdout)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return printed;
  if (json.empty()) return {};
  nlohmann::ordered_json head = json_head("witness", describe_host());
  head.update(to_json(summary));
  return write_report("--json", json,
                      head.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

Result<int> run_witness(WitnessOptions options) {
  options.backends.backends.insert(options.backends.backends.end(), options.names.begin(), options.names.end());
  if (const auto started = start_emulators(options.emulated); !started) return tl::unexpected(started.error());
  auto request = request_from(options);
  if (!request) return tl::unexpected(request.error());
  const auto known = Backends::load(options.backends);
  if (!known) return tl::unexpected(known.error());
  const auto chosen = known->chosen_with_sources();
  if (!chosen) return tl::unexpected(chosen.error());
  const auto threads = parse_jobs(options.jobs, describe_host().cpus);
  if (!threads) return tl::unexpected(threads.error());
  if (const auto file = check_report_file("--json", options.json); !file) return tl::unexpected(file.error());
  WitnessSummary summary;
  summary.require_proof = options.require_proof;
  summary.backends_named = !options.backends.backends.empty() || !options.backends.plugins.empty();
  std::vector<BackendSubject> subjects;
  for (const ChosenBackend& one : *chosen) {
    if (const std::string why = why_unavailable(*one.backend); !why.empty())
      summary.unavailable.emplace_back(one.backend->name, why);
    else
      subjects.push_back(
          {one.backend->name, one.spec, one.plugin, one.backend->unit, emulator::is_emulated(*one.backend)});
  }
  if (const auto ran = WitnessRun(std::move(*request), *threads).run(subjects, summary); !ran)
    return tl::unexpected(ran.error());
  if (const auto reported = report(summary, options.json); !reported) return tl::unexpected(reported.error());
  return summary.exit_status();
}

}  // namespace

void add_witness(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("witness", "Did it really run? What each backend's AES executes on");
  command->footer(
      std::string(
          "Examples:\n"
          "  aesgate witness                            every backend that can run here\n"
          "  aesgate witness vaes512 --require-proof    one, and 3 if it is not proven\n"
          "  aesgate witness --plugin ./libmine.so --json witness.json\n"
          "\n"
          "One call of each shape is single-stepped, without the key's set-up, and its AES instructions are counted "
          "and\n"
          "held against the blocks of the message. PROVEN: what the backend claims ran, on the data of the message;\n"
          "REFUTED: something else did; CONSISTENT: nothing speaks against the claim, and only something indirect for "
          "it;\n"
          "UNKNOWN: nothing could be seen, for the reason that is given.\n"
          "\n"
          "Exit status: 0 no claim was refuted, 1 one was, 2 bad usage, 3 nothing could be witnessed, or "
          "--require-proof\n"
          "and one is not PROVEN.\n"
          "\n") +
      witness_command_help());
  const auto options = std::make_shared<WitnessOptions>();
  command->add_option("BACKEND", options->names, "The same as --backend")->type_name("");
  add_backend_options(*command, options->backends);
  add_emulate_option(*command, options->emulated);
  add_mode_option(*command, options->modes);
  command->add_option("--direction", options->directions, "Only this direction: encrypt, decrypt; repeatable")
      ->type_name("DIRECTION")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_key_bits_option(*command, options->key_bits);
  add_jobs_option(*command, options->jobs);
  command->add_flag("--require-proof", options->require_proof, "Exit with 3 unless each backend is PROVEN");
  add_json_option(*command, options->json);
  command->callback([&action, options] { action = [options] { return run_witness(*options); }; });
}

}  // namespace aesgate
