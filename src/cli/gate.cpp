// aesgate gate: is the candidate slower than the baseline?

#include <unistd.h>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/gate_run.h"
#include "cli/gate_saved.h"
#include "cli/gate_task.h"
#include "cli/output.h"
#include "cli/reports.h"

namespace aesgate {
namespace {

/// `failures`: the blocks of what was wrong.
Result<void> write_gate_reports(const GateCommandOptions& options, const GateReport& report,
                                const std::string& failures) {
  const bool to_stdout = options.json == "-" || options.junit == "-" || options.markdown == "-";
  const std::string text = failures + to_table(report, wants_colour(to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (to_stdout)
    print_to_stderr(text);
  else if (const auto printed = print(text); !printed)
    return printed;
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(report).dump(2) + '\n'); !wrote) return wrote;
  if (!options.junit.empty())
    if (const auto wrote = write_report("--junit", options.junit, to_junit(report)); !wrote) return wrote;
  if (options.markdown.empty()) return {};
  return write_report("--markdown", options.markdown, to_markdown(report));
}

Result<int> self_test(const GateCommandOptions& options, GateRun& gate) {
  const auto test = gate.run_self_test();
  if (!test) return tl::unexpected(test.error());
  if (options.json == "-")
    print_to_stderr(to_table(*test));
  else if (const auto printed = print(to_table(*test)); !printed)
    return tl::unexpected(printed.error());
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(*test).dump(2) + '\n'); !wrote)
      return tl::unexpected(wrote.error());
  return 0;
}

Result<int> run_gate(const GateCommandOptions& options) {
  if (is_saved_baseline(options.baseline)) {
    const auto report = run_saved_gate(options);
    if (!report) return tl::unexpected(report.error());
    if (const auto wrote = write_gate_reports(options, *report, {}); !wrote) return tl::unexpected(wrote.error());
    return exit_status(report->verdict());
  }
  auto task = understand(options);
  if (!task) return tl::unexpected(task.error());
  const bool is_self_test = task->is_self_test;
  GateRun gate(std::move(*task), options.cases.text);
  if (is_self_test) return self_test(options, gate);
  if (const auto ran = gate.run(); !ran) return tl::unexpected(ran.error());
  if (const auto wrote = write_gate_reports(options, gate.report(), gate.failures()); !wrote)
    return tl::unexpected(wrote.error());
  return exit_status(gate.report().verdict());
}

}  // namespace

void add_gate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gate", "Is a new build of a backend slower than an old one?");
  command->footer(
      "Examples:\n"
      "  aesgate gate --baseline old.so --candidate new.so --backend aesni --markdown comment.md\n"
      "  aesgate gate --baseline old.so --candidate new.so --backend aesni --candidate-backend vaes512\n"
      "  aesgate gate --baseline old.so --candidate new.so --count-only       instructions: no quiet machine is "
      "needed\n"
      "  aesgate gate --baseline saved.json --candidate new.so       shows less than two plugins; on the same machine "
      "only\n"
      "  aesgate gate --self-test 20 --redraw 1000 --baseline new.so --backend aesni       what its verdicts are worth "
      "here\n"
      "\n"
      "Exit status: 0 PASS; 1 REGRESSED, or a backend is WRONG; 2 bad usage; 3 INCONCLUSIVE or INVALID: nothing is\n"
      "shown, and the report says what to do.");
  const auto options = std::make_shared<GateCommandOptions>();
  command->add_option("--baseline", options->baseline, "The plugin as it was; or what aesgate perf --json saved of it")
      ->type_name("OLD.so");
  command->add_option("--candidate", options->candidate, "The plugin as it is to be")->type_name("NEW.so");
  command->add_option("--backend", options->backends, "Only this backend; repeatable (default: all, the same in both)")
      ->type_name("NAME[:OPTIONS]")
      ->allow_extra_args(false);
  command
      ->add_option("--candidate-backend", options->candidate_backend,
                   "What the candidate calls the backend that --backend names (default: the same)")
      ->type_name("NAME[:OPTIONS]");
  command->add_option("--threshold", options->threshold, "How much slower is too slow (default: 0.75%)")
      ->type_name("PERCENT");
  command
      ->add_option("--instructions-threshold", options->instructions_threshold,
                   "How many more instructions are a regression (default: none, they are shown; with --count-only 1%)")
      ->type_name("PERCENT");
  command->add_flag("--count-only", options->count_only, "Compare instructions alone, and time nothing");
  add_mode_option(*command, options->modes);
  add_key_bits_option(*command, options->key_bits);
  command->get_option("--key-bits")
      ->description("Key sizes: 128, 192, 256; repeatable (default: 128 in full, 192 and 256 in part)");
  command->add_option("--bytes", options->sizes, "Bytes a call; repeatable (default: 16, 256, 16384; CFB8 16, CFB1 2)")
      ->type_name("N[,N]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--seconds", options->seconds, "How long a backend's launches may take (default: 50)")
      ->type_name("S");
  command
      ->add_option("--self-test", options->self_test,
                   "N runs of the baseline against itself, N with 1% planted and N with 2%: how often each verdict")
      ->type_name("N");
  command
      ->add_option(
          "--redraw", options->redraw,
          "With --self-test: as many runs of each kind whose launches are drawn from the real ones (default: 0)")
      ->type_name("N");
  command->add_flag("--keep-busy", options->keep_busy, "With --self-test: a thread computes on each other CPU");
  add_seed_option(*command, options->seed);
  add_cases_option(*command, options->cases);
  add_json_option(*command, options->json);
  command->add_option("--junit", options->junit, "Write the result as JUnit XML too; - is standard output")
      ->type_name("FILE");
  command->add_option("--markdown", options->markdown, "Write it as Markdown for a merge request too")
      ->type_name("FILE");
  command->callback([&action, options] { action = [options] { return run_gate(*options); }; });
}

}  // namespace aesgate
