#include "kat/acvp.h"

#include <unistd.h>
#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/acvp_report.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "core/registry.h"
#include "report/progress.h"

namespace aesgate {
namespace {

struct AcvpOptions {
  BackendOptions backends;
  std::vector<std::string> emulated;
  std::string prompt, out, expected, json;
  Setting cases;
};

Result<Plan> plan_of_one_backend(const AcvpOptions& options) {
  auto plan = plan_of_backends(options.backends);
  if (plan && plan->backends.size() != 1)
    return error("--backend: a response is by one backend, and this names {}; see 'aesgate list'",
                 plan->backends.size());
  return plan;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

/// An Error if a file could not be written, or would take the place of one that is read.
Result<void> check_files(const AcvpOptions& options) {
  for (const std::string& read : {options.prompt, options.expected}) {
    std::error_code wrong;
    if (!read.empty() && std::filesystem::status(read, wrong).type() == std::filesystem::file_type::not_found)
      return error("{}: {}", read, wrong.message());
  }
  if (options.out.empty()) return error("--out is required; see aesgate acvp --help");
  if (options.out == "-") return error("--out: names no file");
  for (const std::string& read : {options.prompt, options.expected}) {
    if (read.empty()) continue;
    if (same_file(options.out, read)) return error("--out: {} is read by this run; name another file", options.out);
    if (!options.json.empty() && same_file(options.json, read))
      return error("--json: {} is read by this run; name another file", options.json);
  }
  if (!options.json.empty() && same_file(options.json, options.out))
    return error("--json: {} is the file of --out too", options.json);
  if (const auto out = check_report_file("--out", options.out); !out) return out;
  if (const auto json = check_report_file("--json", options.json); !json) return json;
  return check_cases_folder(options.cases);
}

/// What is for a person goes to standard output, or to standard error if JSON is there.
class Console {
 public:
  explicit Console(bool standard_output_is_taken) : taken_(standard_output_is_taken) {}
  void show(const std::string& text) {
    if (taken_)
      print_to_stderr(text);
    else if (result_)
      result_ = print(text);
  }
  [[nodiscard]] const Result<void>& result() const { return result_; }

 private:
  bool taken_;
  Result<void> result_;
};

Result<acvp::Answers> answer_with_progress(AcvpReport& report, Record& record, Console& console) {
  FileReplacement out(report.out);
  Progress* bar = nullptr;
  const Interrupt interrupt([&](int) {
    if (bar != nullptr) bar->stop();
    out.discard();
    print_error("interrupted; no response was written");
  });
  Progress progress(record);
  bar = &progress;
  progress.phase(1);
  progress.started(fmt::format("acvp {}", report.backend->name));
  const auto on_failure = [&](const acvp::Failure& failure) {
    progress.stop();
    console.show(to_text(failure, report.expected));
    if (report.failures.size() < AcvpReport::most_failures) report.failures.push_back(failure);
  };
  return acvp::answer(*report.files, *report.backend, out, record, on_failure);
}

Result<int> run_acvp(const AcvpOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  if (const auto started = start_emulators(options.emulated); !started) return tl::unexpected(started.error());
  const auto plan = plan_of_one_backend(options);
  if (!plan) return tl::unexpected(plan.error());
  const aesgate_backend& backend = *plan->backends.front();
  if (const auto files = check_files(options); !files) return tl::unexpected(files.error());
  const auto files = acvp::Files::open(options.prompt, options.expected);
  if (!files) return tl::unexpected(files.error());

  AcvpReport report;
  report.prompt = options.prompt;
  report.expected = options.expected;
  report.out = options.out;
  report.files = &*files;
  report.backend = &backend;
  report.plan = &*plan;
  report.why_unavailable = why_unavailable(backend);
  Record record(options.cases.text);
  Console console(options.json == "-");
  console.show(acvp_headline(files->prompt));
  if (report.why_unavailable.empty()) {
    const auto answers = answer_with_progress(report, record, console);
    if (!answers) return tl::unexpected(answers.error());
    report.answers = *answers;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  console.show(to_text(report, record));
  if (!console.result()) return tl::unexpected(console.result().error());
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(report, record)); !wrote)
      return tl::unexpected(wrote.error());
  return report.exit_status();
}

}  // namespace

void add_acvp(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("acvp", "Answer a NIST ACVP vector set with one backend");
  command->footer(
      "Examples:\n"
      "  aesgate acvp --backend aesni prompt.json --out response.json\n"
      "  aesgate acvp --backend aesni prompt.json --out response.json --expected expectedResults.json\n"
      "\n"
      "Vector sets of ACVP-AES-ECB, -CBC, -CFB1, -CFB8, -CFB128 and -OFB, revision 1.0, tests of type AFT and MCT.\n"
      "Every answer is judged against both oracles too. The response is written only if the exit status is 0.\n"
      "Exit status: 0 all answered and right, 1 an answer is wrong, or not as expected, 2 bad usage or a bad file,\n"
      "3 the backend is unavailable, or does not do all of it.");
  const auto options = std::make_shared<AcvpOptions>();
  command->add_option("PROMPT.json", options->prompt, "The vector set")->required()->type_name("");
  command->add_option("--out", options->out, "Where the response goes (required)")->type_name("FILE");
  command->add_option("--expected", options->expected, "Compare with these results, and name each tcId that differs")
      ->type_name("FILE");
  add_backend_options(*command, options->backends);
  command->get_option("--backend")->description("The backend that answers (see 'aesgate list')");
  add_emulate_option(*command, options->emulated);
  add_cases_option(*command, options->cases);
  add_json_option(*command, options->json);
  command->callback([&action, options] { action = [options] { return run_acvp(*options); }; });
}

}  // namespace aesgate
