#include "cli/witness_command.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/backends.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "core/cpu_mask.h"
#include "core/write_file.h"
#include "report/json_head.h"
#include "report/text_table.h"
#include "witness/program_answer.h"
#include "witness/program_json.h"
#include "witness/traced_program.h"

namespace aesgate {
namespace {

using witness::ProgramEnd;
using witness::ProgramVerdict;

struct CommandOptions {
  std::vector<std::string> command;
  std::string timeout, out, json, expected;
  bool every_call = false;
  std::optional<std::string> cpu_mask;
};

/// What a program's arguments and paths hold may control a terminal; what is printed may not.
std::string harmless(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

Result<witness::TraceOptions> trace_options(const CommandOptions& options) {
  witness::TraceOptions trace;
  trace.arguments = options.command;
  trace.every_call = options.every_call;
  trace.default_signals = ignored_by_this_program();
  trace.say = print_error;
  if (!options.timeout.empty()) {
    const auto seconds = parse_seconds("--timeout", options.timeout);
    if (!seconds) return tl::unexpected(seconds.error());
    trace.limit = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(*seconds));
  }
  return trace;
}

Result<void> check(const CommandOptions& options) {
  if (options.command.empty() || options.command[0].empty())
    return error("no command behind --; see aesgate witness --help");
  for (const auto& [option, file] : {std::pair("--json", options.json), std::pair("--out", options.out)}) {
    if (file == "-") return error("{}: standard output is the program's; name a file", option);
    if (const auto wrote = check_report_file(option, file); !wrote) return wrote;
  }
  if (!options.out.empty() && options.out == options.json)
    return error("--out: {} is the file of --json too", options.out);
  const auto& claims = witness::known_claims();
  if (!options.expected.empty() && std::find(claims.begin(), claims.end(), options.expected) == claims.end())
    return error("--expect: \"{}\" is none of {}", options.expected, fmt::join(claims, ", "));
  return {};
}

int status_of(ProgramVerdict verdict) {
  if (verdict == ProgramVerdict::refuted) return 1;
  return verdict == ProgramVerdict::unknown ? 3 : 0;
}

Result<int> run_command(const CommandOptions& options) {
  if (const auto well = check(options); !well) return tl::unexpected(well.error());
  const auto trace = trace_options(options);
  if (!trace) return tl::unexpected(trace.error());
  const auto run = witness::trace_program(*trace);
  if (!run) return tl::unexpected(run.error());
  int status = run->end.status();
  if (run->end.how == ProgramEnd::How::not_executed) {
    print_error(fmt::format("{}: {}", options.command[0], std::strerror(run->end.number)));
    return status;
  }
  const witness::ProgramAnswer answer = witness::answer(*run);
  std::string text = wrapped("aesgate: ", harmless(answer.paragraph()));
  nlohmann::ordered_json json = json_head("witness", describe_host());
  json.update(to_json(answer, *run));
  if (!options.expected.empty()) {
    const witness::Judged judged = judge_claim(options.expected, answer, *run);
    text += wrapped("aesgate: ",
                    harmless(fmt::format("--expect {}: {}: {}.", options.expected, word(judged.verdict), judged.why)));
    json["expected"] = {{"claim", options.expected}, {"verdict", word(judged.verdict)}, {"why", judged.why}};
    if (status == 0) status = status_of(judged.verdict);
  }
  if (options.out.empty())
    print_to_stderr(text);
  else if (const auto wrote = write_report("--out", options.out, text); !wrote)
    return tl::unexpected(wrote.error());
  if (options.json.empty()) return status;
  const auto wrote = write_report("--json", options.json,
                                  json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  if (!wrote) return tl::unexpected(wrote.error());
  return status;
}

Result<int> parse_and_run(int argc, char** argv, int dashes) {
  CommandOptions options;
  options.command.assign(argv + dashes + 1, argv + argc);
  CLI::App app{"Which AES does a program use?", "aesgate witness"};
  app.add_option("--timeout", options.timeout, "End the program after this long, with status 124")
      ->type_name("SECONDS");
  app.add_option("--out", options.out, "Write the answer there, and not to standard error")->type_name("FILE");
  app.add_option("--json", options.json, "Write a report as JSON")->type_name("FILE");
  app.add_option("--expect", options.expected, "Exit with 1 if it is not so, and with 3 if that is unknown")
      ->type_name("CLAIM");
  app.add_flag("--every-call", options.every_call, "Stop the program at each system call, as without seccomp: slower");
  add_cpu_mask_option(app, options.cpu_mask);
  try {
    // CLI11 takes them from the end.
    std::vector<std::string> own(argv + 2, argv + dashes);
    std::reverse(own.begin(), own.end());
    app.parse(own);
  } catch (const CLI::CallForHelp&) {
    return print(std::string(witness_command_help()) + '\n').map([] { return 0; });
  } catch (const CLI::ParseError& wrong) {
    return error("{}; see aesgate witness --help", wrong.what());
  }
  if (const auto started = start_with_cpu_mask(argv, options.cpu_mask); !started)
    return tl::unexpected(started.error());
  return run_command(options);
}

}  // namespace

std::optional<Result<int>> run_witness_command(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "witness") return std::nullopt;
  for (int i = 2; i < argc; ++i)
    if (std::string_view(argv[i]) == "--") return parse_and_run(argc, argv, i);
  return std::nullopt;
}

const char* witness_command_help() {
  return "aesgate witness [OPTION…] -- COMMAND…    runs a program unchanged, and says which AES it used\n"
         "  --timeout SECONDS    end it after this long, with status 124\n"
         "  --out FILE           write the answer there, and not to standard error\n"
         "  --json FILE          write a report as JSON\n"
         "  --expect CLAIM       aes (AES instructions), aes.xmm, vaes.ymm, vaes.zmm (that unit does most of the "
         "blocks),\n"
         "                       kernel, or none of these: exit with 1 if it is not so, and with 3 if that is "
         "unknown;\n"
         "                       0 of none is no proof: it says that nothing was seen in so many samples that AES "
         "took,\n"
         "                       with 95 % confidence, less of the time than the answer states\n"
         "  --every-call         stop the program at each system call, as without seccomp: slower\n"
         "\n"
         "Examples:\n"
         "  aesgate witness -- openssl speed -elapsed -seconds 1 -evp aes-256-cbc\n"
         "  aesgate witness --expect kernel -- openssl speed -elapsed -engine afalg -evp aes-128-cbc\n"
         "\n"
         "The program's threads and children are followed. Its input, output, terminal and signals are its own, and so "
         "is\n"
         "the exit status: 128 + signal if it was killed, 127 if it was not found, 126 if it cannot be executed, 124 "
         "if\n"
         "--timeout ended it. What comes from samples says how many there were; what was not seen is not called "
         "absent.";
}

}  // namespace aesgate
