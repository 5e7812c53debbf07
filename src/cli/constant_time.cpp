#include "cli/constant_time.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "cli/task_pool.h"
#include "core/driver.h"
#include "core/registry.h"
#include "emulator/emulator.h"
#include "props/constant_time/summary.h"
#include "report/json_head.h"
#include "report/progress.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

using constant_time::Claim;
using constant_time::Conclusion;
using constant_time::Method;
using constant_time::Subject;
using Clock = std::chrono::steady_clock;

/// The forms of a backend that has several: each is code of its own.
std::vector<const aesgate_backend*> forms_of(const std::string& name) {
  std::vector<const aesgate_backend*> forms;
  for (const aesgate_backend* form : built_in_forms())
    if (std::string_view(form->name).starts_with(name + '-')) forms.push_back(form);
  return forms;
}

/// Why neither method sees the AES of a backend; empty if one may.
std::string why_unseen(const aesgate_backend& backend) {
  const std::string_view kind = backend.kind;
  if (emulator::is_emulated(backend)) return "it runs in an emulator, whose accesses are not those of the unit";
  if (kind == "kernel") return "its AES runs in the kernel, which neither valgrind nor single steps see";
  return {};
}

/// Subjects, and what is said of those that no worker has to be asked about.
struct Subjects {
  std::vector<Subject> subjects;
  std::vector<std::string> unseen;  // for each, why nothing can be seen of it

  void add(const aesgate_backend& backend, std::string spec, std::string plugin) {
    const Claim claim = constant_time::claim_of(backend, !plugin.empty());
    subjects.push_back({backend.name, std::move(spec), std::move(plugin), claim, why_unavailable(backend)});
    unseen.push_back(why_unseen(backend));
  }
};

Result<Subjects> find_subjects(const BackendOptions& options) {
  const auto known = Backends::load(options);
  if (!known) return tl::unexpected(known.error());
  const auto chosen = known->chosen_with_sources();
  if (!chosen) return tl::unexpected(chosen.error());
  Subjects subjects;
  for (const ChosenBackend& one : *chosen) {
    const auto forms = one.plugin.empty() ? forms_of(one.spec) : std::vector<const aesgate_backend*>();
    for (const aesgate_backend* form : forms) subjects.add(*form, form->name, {});
    if (forms.empty()) subjects.add(*one.backend, one.spec, one.plugin);
  }
  return subjects;
}

/// A run of the check, from its parts to the exit status.
class Check {
 public:
  Check(Subjects subjects, constant_time::Summary summary, std::vector<Method> methods, unsigned threads)
      : subjects_(std::move(subjects)), summary_(std::move(summary)), methods_(std::move(methods)), threads_(threads) {}

  /// An Error if it cannot be run.
  Result<constant_time::Summary> run() {
    Progress* bar = nullptr;
    const Interrupt interrupt([&](int) {
      if (bar != nullptr) bar->stop();
      print_error("interrupted; there is no verdict");
    });
    Progress progress(record_);
    bar = &progress;
    const auto start = Clock::now();
    const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    std::vector<std::function<Result<void>()>> tasks = all_tasks(progress, seconds);
    progress.phase(tasks.size());
    if (const auto ran = run_tasks(tasks, threads_); !ran) return tl::unexpected(ran.error());
    summary_.seconds = seconds();
    return std::move(summary_);
  }

 private:
  template <typename Seconds>
  std::vector<std::function<Result<void>()>> all_tasks(Progress& progress, Seconds seconds) {
    std::vector<std::function<Result<void>()>> tasks;
    summary_.conclusions.resize(subjects_.subjects.size());
    const auto add = [&](Conclusion& to, const std::string& what, std::function<Conclusion()> make) {
      tasks.emplace_back([&progress, &to, what, seconds, make = std::move(make)]() -> Result<void> {
        progress.started(what);
        to = make();
        progress.finished(what);
        progress.milestone(fmt::format("{:6.1f} s  {}: {}", seconds(), what, name(to.state)));
        return {};
      });
    };
    for (std::size_t i = 0; i < subjects_.subjects.size(); ++i)
      add(summary_.conclusions[i], subjects_.subjects[i].name, [this, i] { return check_subject(i); });
    summary_.controls.resize(methods_.size() * constant_time::control_names().size());
    std::size_t at = 0;
    for (const Method method : methods_)
      for (const std::string& control : constant_time::control_names())
        add(summary_.controls[at++], fmt::format("control {} by {}", control, name(method)),
            [this, control, method] { return check_control(control, method); });
    return tasks;
  }

  /// By the first method that can run it.
  Conclusion check_subject(std::size_t number) {
    const Subject& subject = subjects_.subjects[number];
    Conclusion conclusion;
    conclusion.subject = subject;
    conclusion.reason = subjects_.unseen[number];
    if (!subject.unavailable.empty()) conclusion.reason.clear();
    if (!conclusion.reason.empty()) return conclusion;
    for (const Method method : methods_) {
      std::string before = std::move(conclusion.reason);
      conclusion = check(subject, method, summary_.request);
      if (!before.empty() && conclusion.state != constant_time::State::unavailable)
        conclusion.notes.push_back(fmt::format("traced, since under valgrind {}", before));
      if (!subject.unavailable.empty()) break;
      if (conclusion.state == constant_time::State::leaks || conclusion.state == constant_time::State::constant_time)
        break;
    }
    return conclusion;
  }

  /// Short calls in one shape show whether a method sees anything.
  Conclusion check_control(const std::string& name, Method method) {
    const auto backend = find_backend(name);
    constant_time::Request request = summary_.request;
    request.shapes = {index({Mode::ecb, Direction::encrypt, KeySize::bits128})};
    request.short_calls_only = true;
    request.keys = 2;
    return check({name, name, {}, Claim::leaks, backend ? "" : backend.error().message}, method, request);
  }

  Subjects subjects_;
  constant_time::Summary summary_;
  std::vector<Method> methods_;
  unsigned threads_;
  Record record_{""};
};

/// The methods of --method that can be used, the better first; what cannot is said in the summary.
Result<std::vector<Method>> usable_methods(const std::string& text, constant_time::Summary& summary) {
  std::vector<Method> methods;
  for (const Method method : {Method::memcheck, Method::trace}) {
    if (text != "auto" && text != name(method)) continue;
    const std::string why = why_not(method);
    if (why.empty()) {
      methods.push_back(method);
    } else if (text == "auto") {
      summary.notes.push_back(fmt::format("not by {}: {}", name(method), why));
    } else {
      summary.method_missing = fmt::format("--method {}: {}", text, why);
    }
  }
  if (text != "auto" && methods.empty() && summary.method_missing.empty())
    return error("--method: \"{}\" is unknown; known: auto, valgrind, trace", text);
  if (methods.empty() && summary.method_missing.empty())
    summary.method_missing = fmt::format("{}", fmt::join(summary.notes, "; "));
  return methods;
}

std::size_t keys_for(Effort effort) { return effort == Effort::quick ? 2 : effort == Effort::normal ? 3 : 32; }

Result<void> report(const constant_time::Summary& summary, const std::string& json) {
  const bool to_stdout = json == "-";
  const std::string text = to_text(summary, wants_colour(to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (to_stdout)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return printed;
  if (json.empty()) return {};
  nlohmann::ordered_json head = json_head("verify", describe_host());
  head["check"] = "constant-time";
  head.update(to_json(summary));
  return write_report("--json", json,
                      head.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

/// Names of --require-constant-time and --require: each of a backend of this run.
Result<void> check_names(const char* option, const std::vector<std::string>& names, const Subjects& subjects) {
  for (const std::string& name : names)
    if (std::ranges::none_of(subjects.subjects, [&](const Subject& s) { return s.name == name; }))
      return error("{}: {} is not among the backends of this run; name it, or its form, with --backend too", option,
                   name);
  return {};
}

}  // namespace

void add_constant_time_options(CLI::App& command, ConstantTimeOptions& options) {
  static const char* const group = "Constant time";
  command
      .add_flag(
          "--constant-time", options.wanted,
          "Instead of running cases: does the key decide which memory is touched, or which instruction comes next?")
      ->group(group);
  command
      .add_option("--method", options.method,
                  "valgrind, trace (of single steps), or auto: valgrind where it can run a backend (default: auto)")
      ->type_name("METHOD")
      ->group(group);
  command.add_flag("--secret-text", options.secret_text, "The input is secret too, also for valgrind")->group(group);
  command
      .add_option("--require-constant-time", options.judged,
                  "Fail unless this backend (a library, a plugin) is constant-time too; repeatable")
      ->type_name("NAME[,NAME]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
}

Result<int> check_constant_time(const RunOptions& run, const ConstantTimeOptions& options) {
  if (!run.junit.empty()) return error("--junit: --constant-time has no such report; use --json");
  if (const auto started = start_emulators(run.emulated); !started) return tl::unexpected(started.error());
  const auto plan = plan_from(run);
  if (!plan) return tl::unexpected(plan.error());
  auto subjects = find_subjects(run.backends);
  if (!subjects) return tl::unexpected(subjects.error());
  constant_time::Summary summary;
  summary.judged = options.judged;
  if (run.required.source == "--require") summary.required = run.required.names;
  for (const auto& [option, names] :
       {std::pair{"--require-constant-time", &summary.judged}, std::pair{"--require", &summary.required}})
    if (const auto known = check_names(option, *names, *subjects); !known) return tl::unexpected(known.error());
  const Result<unsigned> threads = parse_jobs(run.jobs, describe_host().cpus);
  if (!threads) return tl::unexpected(threads.error());
  if (const auto file = check_report_file("--json", run.json); !file) return tl::unexpected(file.error());
  for (const Mode mode : plan->modes)
    for (const Shape& shape : plan->shapes(mode)) summary.request.shapes.push_back(index(shape));
  summary.request.secret_text = options.secret_text;
  summary.request.keys = keys_for(plan->effort);
  summary.request.all_long_traces = plan->effort == Effort::deep;
  summary.request.seed = plan->seed;
  const auto methods = usable_methods(options.method, summary);
  if (!methods) return tl::unexpected(methods.error());
  if (methods->empty()) {
    if (const auto printed = print(fmt::format("{}\n", conclude(summary).text)); !printed)
      return tl::unexpected(printed.error());
    return conclude(summary).exit_status;
  }
  const auto done = Check(std::move(*subjects), std::move(summary), *methods, *threads).run();
  if (!done) return tl::unexpected(done.error());
  if (const auto reported = report(*done, run.json); !reported) return tl::unexpected(reported.error());
  return conclude(*done).exit_status;
}

}  // namespace aesgate
