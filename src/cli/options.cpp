#include "cli/options.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include <fmt/ranges.h>

#include "core/registry.h"
#include "core/text_file.h"
#include "core/vectors_folder.h"
#include "core/write_file.h"
#include "emulator/emulator.h"
#include "report/record.h"

namespace aesgate {
namespace {

constexpr std::size_t most_jobs = 1024;

/// A result whose Error names the option, or what stands for it.
template <typename T>
Result<T> of_option(std::string_view option, Result<T> result) {
  if (result) return result;
  return error("{}: {}", option, result.error().message);
}

/// An option that may be given several times and takes one word each time: without this a list would
/// swallow the words after it, such as the file of `replay --backend sbox FILE`.
CLI::Option* repeatable(CLI::App& command, const char* name, std::vector<std::string>& target, const char* help) {
  return command.add_option(name, target, help)->allow_extra_args(false);
}

/// The value of an environment variable; empty if it is not set.
std::string environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// An option whose default is `variable`'s value if that is set, else `fallback`.
CLI::Option* add_setting(CLI::App& command, const char* option, const char* variable, const char* fallback,
                         Setting& setting, const std::string& help) {
  setting = {environment(variable), variable};
  if (setting.text.empty()) setting = {fallback, {}};
  const auto given = [&setting, option](const std::string& text) { setting = {text, option}; };
  return command.add_option_function<std::string>(option, given, fmt::format("{} [{}]", help, variable));
}

/// Each of `names` through `parse`, each value once and in the order of `all`; all if there is none.
template <typename T, std::size_t n, typename Parse>
Result<std::vector<T>> parse_all(const std::vector<std::string>& names, const std::array<T, n>& all, Parse parse) {
  std::vector<T> wanted;
  for (const std::string& text : names) {
    const Result<T> value = parse(text);
    if (!value) return tl::unexpected(value.error());
    wanted.push_back(*value);
  }
  std::vector<T> values;
  for (const T value : all)
    if (names.empty() || std::ranges::find(wanted, value) != wanted.end()) values.push_back(value);
  return values;
}

Result<std::uint64_t> parse_seed(const std::string& text) {
  if (text != "random") return parse_number(text);
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

void add_cpu_mask_option(CLI::App& command, std::optional<std::string>& mask) {
  command
      .add_option(
          "--cpu-mask", mask,
          "Run as on a CPU without these features, and those that need them: ssse3, sse41, aes, avx, avx2, vaes, "
          "gfni, avx512 [AESGATE_CPU_MASK]")
      ->type_name("FEATURE[,FEATURE]");
}

void add_emulate_option(CLI::App& command, std::vector<std::string>& emulated) {
  repeatable(command, "--emulate", emulated,
             "Run what this machine lacks in an emulator, and say so: padlock, the unit of VIA's and Zhaoxin's CPUs; "
             "af_alg, Linux's sockets; cryptodev, /dev/crypto with Linux's requests; cryptodev-bsd, with BSD's; "
             "repeatable")
      ->type_name("NAME");
}

void add_mode_option(CLI::App& command, std::vector<std::string>& modes) {
  repeatable(command, "--mode", modes, "Only these modes: ECB, CBC, CFB1, CFB8, CFB128, OFB; repeatable")
      ->type_name("MODE[,MODE]")
      ->delimiter(',');
}

void add_key_bits_option(CLI::App& command, std::vector<std::string>& key_bits) {
  repeatable(command, "--key-bits", key_bits, "Only these key sizes: 128, 192, 256; repeatable")
      ->type_name("BITS[,BITS]")
      ->delimiter(',');
}

void add_require_option(CLI::App& command, Required& required) {
  std::string list = environment("AESGATE_REQUIRE");
  std::ranges::replace(list, ' ', ',');
  for (const std::string_view name : split(list, ','))
    if (!name.empty()) required.names.emplace_back(name);
  required.source = "AESGATE_REQUIRE";
  const auto given = [&required](const std::vector<std::string>& names) { required = {names, "--require"}; };
  command
      .add_option_function<std::vector<std::string>>(
          "--require", given, "Exit with 3 unless this backend was available and ran; repeatable [AESGATE_REQUIRE]")
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME]")
      ->delimiter(',');
}

void add_cases_option(CLI::App& command, Setting& cases) {
  add_setting(command, "--cases", "AESGATE_CASES", default_case_folder, cases,
              fmt::format("Where the .case files of failures go (default: {}, made when needed)", default_case_folder))
      ->type_name("DIR");
}

void add_json_option(CLI::App& command, std::string& json) {
  command.add_option("--json", json, "Write the result as JSON too; - is standard output")->type_name("FILE");
}

void add_seed_option(CLI::App& command, Setting& seed) {
  add_setting(command, "--seed", "AESGATE_SEED", "1", seed,
              "The same seed makes the same cases; 'random' takes a new one (default: 1)")
      ->type_name("NUMBER");
}

void add_effort_option(CLI::App& command, Setting& effort, const char* fallback) {
  add_setting(command, "--effort", "AESGATE_EFFORT", fallback, effort,
              fmt::format("How many cases: quick, normal or deep (default: {})", fallback))
      ->type_name("EFFORT");
}

void add_jobs_option(CLI::App& command, std::string& jobs) {
  command.add_option("--jobs", jobs, "Threads (default: as many as there are usable CPUs)")->type_name("N");
}

void add_vectors_option(CLI::App& command, std::string& vectors) {
  command
      .add_option("--vectors", vectors,
                  "The folder of the published vectors, instead of the own ones [AESGATE_VECTORS]")
      ->type_name("DIR");
}

void add_run_options(CLI::App& command, RunOptions& options) {
  add_backend_options(command, options.backends);
  add_emulate_option(command, options.emulated);
  add_mode_option(command, options.modes);
  add_key_bits_option(command, options.key_bits);
  add_require_option(command, options.required);
  add_seed_option(command, options.seed);
  add_effort_option(command, options.effort, "normal");
  add_jobs_option(command, options.jobs);
  add_vectors_option(command, options.vectors);
  add_cases_option(command, options.cases);
  add_json_option(command, options.json);
  command.add_option("--junit", options.junit, "Write the result as JUnit XML too; - is standard output")
      ->type_name("FILE");
}

Result<std::vector<Mode>> parse_modes(const std::vector<std::string>& names) {
  return of_option("--mode", parse_all(names, all_modes, parse_mode));
}

Result<std::vector<KeySize>> parse_key_sizes(const std::vector<std::string>& names) {
  return of_option("--key-bits", parse_all(names, all_key_sizes, parse_key_bits));
}

Result<void> start_emulators(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (const auto started = of_option("--emulate", emulator::install(name)); !started) return started;
  // For the processes of isolated backends, which find it there.
  if (!names.empty()) setenv("AESGATE_EMULATE", fmt::format("{}", fmt::join(names, ",")).c_str(), 1);
  return {};
}

Result<Plan> plan_of_backends(const BackendOptions& options) {
  const auto known = Backends::load(options);
  if (!known) return tl::unexpected(known.error());
  auto chosen = known->chosen();
  if (!chosen) return tl::unexpected(chosen.error());
  auto arguments = known->replay_arguments();
  if (!arguments) return tl::unexpected(arguments.error());
  Plan plan;
  plan.backends = std::move(*chosen);
  plan.replay_arguments = std::move(*arguments);
  return plan;
}

Result<Plan> plan_from(const RunOptions& options) {
  auto begun = plan_of_backends(options.backends);
  if (!begun) return begun;
  Plan plan = std::move(*begun);
  Result<void> ok;
  const auto set = [&ok](auto& target, auto value) {
    if (!ok) return;
    if (value)
      target = std::move(*value);
    else
      ok = tl::unexpected(value.error());
  };
  set(plan.modes, parse_modes(options.modes));
  set(plan.key_sizes, parse_key_sizes(options.key_bits));
  set(plan.seed, seed_from(options.seed));
  set(plan.effort, of_option(options.effort.source, parse_effort(options.effort.text)));
  if (ok) ok = check_cases_folder(options.cases);
  set(plan.vectors, vectors_folder(options.vectors));
  if (!ok) return tl::unexpected(ok.error());
  return plan;
}

Result<std::uint64_t> seed_from(const Setting& seed) { return of_option(seed.source, parse_seed(seed.text)); }

Result<unsigned> parse_jobs(const std::string& text, unsigned usable_cpus) {
  if (text.empty()) return std::max(usable_cpus, 1u);
  const Result<std::size_t> jobs = of_option("--jobs", parse_number(text));
  if (!jobs) return tl::unexpected(jobs.error());
  if (*jobs < 1 || *jobs > most_jobs) return error("--jobs: {} is not between 1 and {}", *jobs, most_jobs);
  return static_cast<unsigned>(*jobs);
}

Result<std::vector<std::string>> parse_required(const Required& required,
                                                const std::vector<const aesgate_backend*>& backends) {
  std::vector<std::string> names;
  for (const std::string& wanted : required.names) {
    if (std::ranges::any_of(backends, [&](const aesgate_backend* b) { return b->name == wanted; })) {
      names.push_back(wanted);
      continue;
    }
    const auto known = of_option(required.source, find_backend(wanted));
    if (!known) return tl::unexpected(known.error());
    if (required.source == "--require")
      return error("--require: {} is not among the backends of this run; name it with --backend too", wanted);
  }
  return names;
}

Result<void> check_cases_folder(const Setting& cases) {
  if (cases.source.empty()) return {};
  if (cases.text.empty()) return error("{}: names no folder", cases.source);
  return of_option(cases.source, expect_writable_folder(cases.text));
}

}  // namespace aesgate
