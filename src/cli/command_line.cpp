#include "cli/command_line.h"

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/witness_command.h"
#include "core/cpu_mask.h"
#include "core/registry.h"
#include "report/summary.h"

namespace aesgate {
namespace {

constexpr int bad_usage = 2;

constexpr const char* description =
    "aesgate checks AES implementations (backends) against NIST's published vectors, against laws that\n"
    "every AES mode obeys, and on random cases against two independent oracles; then it times them.\n";

constexpr const char* footer =
    "Examples:\n"
    "  aesgate list                            what is there, and what can run on this machine\n"
    "  aesgate verify                          everything, in every backend\n"
    "  aesgate verify --backend aesni --require aesni --json report.json\n"
    "  aesgate kat --mode CBC,OFB --key-bits 256\n"
    "  aesgate witness -- openssl speed -elapsed -evp aes-128-cbc    which AES a program uses\n"
    "  aesgate replay aesgate-cases/aesni-CBC-encrypt-128-0f3a9c51.case\n"
    "\n"
    "Exit status:\n"
    "  0  all that was asked for held\n"
    "  1  something failed: a mismatch, a crash, or oracles that disagree\n"
    "  2  bad usage or bad input: one line on standard error says what, and nothing was changed\n"
    "  3  something required was unavailable, or nothing could be checked\n"
    "  130  interrupted (128 + signal); there is no verdict\n"
    "\n"
    "'aesgate COMMAND --help' has the options of a command.";

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// The line for what CLI11 found wrong, with what is known or where to look.
std::string explain(const CLI::App& app, const CLI::ParseError& wrong) {
  const auto chosen = app.get_subcommands();
  const std::vector<std::string> rest = app.remaining(true);
  const std::string help = chosen.empty() ? "aesgate --help" : fmt::format("aesgate {} --help", chosen[0]->get_name());
  if (!rest.empty() && rest[0].starts_with('-') && rest[0] != "--")
    return fmt::format("unknown option \"{}\"; see {}", rest[0], help);
  if (!rest.empty() && chosen.empty())
    return fmt::format("unknown command \"{}\"; known: {}", rest[0], fmt::join(command_names(app), ", "));
  if (!rest.empty()) return fmt::format("unexpected argument \"{}\"; see {}", rest[0], help);
  if (chosen.empty()) return fmt::format("no command; known: {}; see {}", fmt::join(command_names(app), ", "), help);
  return fmt::format("{}; see {}", wrong.what(), help);
}

Result<int> parse_and_run(int argc, char** argv) {
  if (auto witnessed = run_witness_command(argc, argv)) return std::move(*witnessed);
  CLI::App app{description, "aesgate"};
  app.footer(footer);
  app.set_version_flag("--version", fmt::format("aesgate {}", version()), "Print the version");
  app.require_subcommand(1);
  Action action;
  for (const auto add : {add_list, add_verify, add_kat, add_props, add_fuzz, add_replay, add_perf, add_gate, add_acvp,
                         add_faults, add_explain, add_witness})
    add(app, action);
  std::optional<std::string> cpu_mask;
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    add_cpu_mask_option(*command, cpu_mask);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print(app.help()).map([] { return 0; });
  } catch (const CLI::CallForVersion& call) {
    return print(std::string(call.what()) + '\n').map([] { return 0; });
  } catch (const CLI::ParseError& wrong) {
    return error("{}", explain(app, wrong));
  }
  if (const auto started = start_with_cpu_mask(argv, cpu_mask); !started) return tl::unexpected(started.error());
  if (const auto backends = check_backends(built_in_backends()); !backends) return tl::unexpected(backends.error());
  return action();
}

}  // namespace

int run_command_line(int argc, char** argv) {
  prepare_standard_streams();
  try {
    const Result<int> status = parse_and_run(argc, argv);
    if (status) return *status;
    print_error(status.error().message);
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& unforeseen) {
    print_error(unforeseen.what());
  }
  return bad_usage;
}

}  // namespace aesgate
