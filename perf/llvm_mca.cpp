#include "perf/llvm_mca.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <regex>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/json_complaint.h"
#include "core/memory_file.h"
#include "core/text_file.h"
#include "witness/program.h"

namespace aesgate {
namespace {

using witness::ProgramRun;

constexpr std::chrono::seconds time_limit{60};
constexpr unsigned newest_looked_for = 40;

/// The first line of what a program complains of.
std::string complaint(const ProgramRun& run) {
  if (run.timed_out) return fmt::format("it did not come back in {} s", time_limit.count());
  const std::string line(trim(split(run.err, '\n').front()));
  return line.empty() ? fmt::format("status {}", run.status.value_or(-1)) : excerpt(line);
}

/// With `input`, if it is not empty, as a file that is the last argument.
Result<ProgramRun> run(std::vector<std::string> arguments, const std::string& input = {}) {
  const std::string program = arguments.front();
  try {
    const MemoryFile file(input);
    if (!input.empty()) arguments.push_back(file.path());
    return witness::run_program(std::move(arguments), time_limit);
  } catch (const std::system_error& wrong) {
    return error("{}: {}", program, wrong.what());
  }
}

/// "19.1.7" of a program of LLVM; empty if it does not say.
std::string version_of(const std::string& program) {
  const auto said = run({program, "--version"});
  std::smatch match;
  static const std::regex version(R"(LLVM version (\d+\.\d+\.\d+))");
  if (!said || !std::regex_search(said->out, match, version)) return {};
  return match[1];
}

unsigned major_of(const std::string& version) { return static_cast<unsigned>(std::stoul(version)); }

/// Lines that begin with two blanks and a name: "  znver4                  - Select the znver4 processor."
std::vector<std::string> cpus_in(const std::string& help) {
  std::vector<std::string> cpus;
  for (const std::string_view line : split(help, '\n'))
    if (line.find("- Select the ") != line.npos && line.find(" processor") != line.npos)
      cpus.emplace_back(line.substr(0, line.find(' ')));
  return cpus;
}

/// A model takes these for system calls of 100 cycles. Here a call has to be pushed and jumps where the front end
/// expects it, and ENDBR64 does nothing.
std::string as_modelled(std::string_view line) {
  const std::string_view text = trim(line);
  if (text == "endbr64") return "\tnop\n";
  if (text.starts_with("callq\t*")) return fmt::format("\tpushq\t{}\n", text.substr(7));
  if (text.starts_with("callq")) return "\tpushq\t%rax\n";
  return fmt::format("\t{}\n", text);
}

/// Few enough that it takes no second, and enough for what a call is in the midst of others.
std::size_t iterations_for(std::size_t instructions) {
  return std::clamp<std::size_t>(20'000 / std::max<std::size_t>(instructions, 1), 4, 100);
}

}  // namespace

Result<LlvmMca> LlvmMca::find() {
  std::vector<std::string> suffixes{""};
  for (unsigned version = newest_looked_for; version >= least_version; --version)
    suffixes.push_back(fmt::format("-{}", version));
  LlvmMca best;
  std::string too_old;
  for (const std::string& suffix : suffixes) {
    const std::string mca = witness::find_program("llvm-mca" + suffix);
    const std::string mc = witness::find_program("llvm-mc" + suffix);
    if (mca.empty() || mc.empty()) continue;
    const std::string version = version_of(mca);
    if (version.empty() || version != version_of(mc)) continue;
    if (major_of(version) < least_version) {
      too_old = version;
    } else if (best.version_.empty() || major_of(version) > major_of(best.version_)) {
      best.mca_ = mca;
      best.mc_ = mc;
      best.version_ = version;
    }
  }
  if (best.version_.empty())
    return error("no llvm-mca of LLVM {} or newer with its llvm-mc on PATH{}; install one, such as Debian's llvm-{}",
                 least_version, too_old.empty() ? "" : fmt::format(", only of {}", too_old), least_version);
  const auto help = run({best.mca_, "-mtriple=x86_64", "-mcpu=help"}, "nop\n");
  if (!help) return tl::unexpected(help.error());
  best.cpus_ = cpus_in(help->out + help->err);
  if (best.cpus_.empty()) return error("{} names no CPUs: {}", best.mca_, complaint(*help));
  return best;
}

Result<void> LlvmMca::check_cpu(const std::string& cpu) const {
  if (std::ranges::find(cpus_, cpu) != cpus_.end()) return {};
  return error("llvm-mca {} has no CPU \"{}\"; {} -mcpu=help lists its {}", version_, excerpt(cpu), mca_, cpus_.size());
}

Result<std::string> LlvmMca::disassemble(std::span<const std::span<const std::uint8_t>> instructions) const {
  std::string hex;
  for (const auto& bytes : instructions) hex += fmt::format("{:#04x}\n", fmt::join(bytes, " "));
  const auto ran = run({mc_, "--disassemble", "--triple=x86_64"}, hex);
  if (!ran) return tl::unexpected(ran.error());
  // What it cannot decode it leaves out, with a warning alone.
  if (ran->status != 0 || !trim(ran->err).empty()) return error("llvm-mc {}: {}", version_, complaint(*ran));
  std::string assembly;
  std::size_t lines = 0;
  for (const std::string_view line : split(ran->out, '\n')) {
    if (line.empty() || line.front() == '.') continue;
    assembly += as_modelled(line);
    ++lines;
  }
  if (lines != instructions.size())
    return error("llvm-mc {} makes {} lines of {} instructions", version_, lines, instructions.size());
  return assembly;
}

Result<double> LlvmMca::cycles(const std::string& assembly, const std::string& cpu) const {
  const auto instructions = static_cast<std::size_t>(std::ranges::count(assembly, '\n'));
  const std::size_t iterations = iterations_for(instructions);
  const auto ran = run({mca_, "-mtriple=x86_64", "-mcpu=" + cpu, fmt::format("-iterations={}", iterations),
                        "--resource-pressure=false", "--instruction-info=false", "--json"},
                       assembly);
  if (!ran) return tl::unexpected(ran.error());
  if (ran->status != 0) return error("llvm-mca {}: {}", version_, complaint(*ran));
  try {
    const auto json = nlohmann::json::parse(ran->out);
    const auto& summary = json.at("CodeRegions").at(0).at("SummaryView");
    if (summary.at("Instructions").get<std::size_t>() != instructions * iterations)
      return error("llvm-mca {} ran {} instructions, not {}", version_, summary.at("Instructions").dump(),
                   instructions * iterations);
    return summary.at("TotalCycles").get<double>() / static_cast<double>(iterations);
  } catch (const nlohmann::json::exception& wrong) {
    return error("llvm-mca {} gave no answer that can be read: {}", version_, json_complaint(wrong.what()));
  }
}

const std::vector<std::string>& default_models() {
  static const std::vector<std::string> models{"znver3", "znver4", "icelake-server", "sapphirerapids", "alderlake"};
  return models;
}

}  // namespace aesgate
