#include "fuzz/campaign_findings.h"

#include <algorithm>

#include "core/case_text.h"
#include "core/write_file.h"
#include "fuzz/campaign_run.h"
#include "fuzz/case_codec.h"
#include "fuzz/choose.h"
#include "fuzz/failure_class.h"
#include "fuzz/fuzzer_log.h"
#include "fuzz/reduce.h"

namespace aesgate {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_run{120};
constexpr int most_runs = 3;
/// A process for each: what ends one is not reduced further than that, nor for longer.
constexpr std::size_t most_tries_of_death = 60;
constexpr std::chrono::seconds longest_reduction{5};

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// What ended a process, in its own words or the system's.
std::string class_of_death(const TargetEnd& end) {
  for (const std::string& line : end.lines)
    if (auto summary = parse_summary(line)) return "process ended: " + without_numbers(*summary);
  return end.status < 0 ? fmt::format("process ended: signal {}", -end.status)
                        : fmt::format("process ended: exit status {}", end.status);
}

/// A key as part of a file's name: "aesni-CFB128-decrypt-192".
std::string file_name(const std::string& key) {
  std::string name = key.substr(0, key.rfind(';'));
  std::erase(name, ';');
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-'; }, '-');
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a: the same finding has the same file in every run
  for (const char c : key) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3u;
  return fmt::format("{}-{:08x}", name, static_cast<std::uint32_t>(hash ^ hash >> 32));
}

/// `aesgate replay`, or the target itself for what is no Case or ends a process.
std::string replay_by_target(const CampaignOptions& options, const FuzzProgram& program, const fs::path& file) {
  std::string command;
  for (const std::string& variable : options.variables) command += variable + " ";
  return fmt::format("{}{} {}", command, program.file.string(), file.string());
}

}  // namespace

Result<CampaignFindings::Taken> CampaignFindings::take(const FuzzProgram& program, const TargetEnd& end) {
  using enum Taken;
  // What a merge left behind says nothing.
  const bool has_said = end.found || (end.input && !end.lines.empty());
  const std::string said = !has_said ? "" : end.found ? end.found->first : key_of_death(program, end);
  if (has_said && known_.contains(said)) return ++duplicates_, end.found ? passed_over : ends_target;
  if (!end.input) return ++unrepeated_, not_again;
  const auto again = run_again(program, *end.input);
  if (!again) return tl::unexpected(again.error());
  if (options_.interrupted() != 0) return not_again;
  Result<void> kept;
  if (*again && (*again)->found) {
    kept = keep(program, *(*again)->found);
  } else if (*again) {
    kept = keep_death(program, **again);
  } else if (end.found) {
    FoundByTarget once = *end.found;
    once.line += " (not when it was run again)";
    kept = keep(program, once);
  } else {
    return ++unrepeated_, not_again;
  }
  if (!kept) return tl::unexpected(kept.error());
  if (has_said) known_.insert(said);
  return *again && !(*again)->found ? ends_target : passed_over;
}

/// Nothing if the process does not end by it.
Result<std::optional<TargetEnd>> CampaignFindings::run_again(const FuzzProgram& program, const Bytes& input) {
  const fs::path file = work_ / "input";
  for (int i = 0; i < most_runs; ++i) {
    auto folder = CampaignFolder::make(work_);
    if (!folder) return tl::unexpected(folder.error());
    if (const auto written = write_file(file, text_of(input)); !written) return tl::unexpected(written.error());
    std::vector<std::string> arguments = arguments_of(program, work_);
    arguments.push_back(file.string());
    const auto ran = run_to_end(program.file, arguments, variables_with(options_.variables, work_), longest_run,
                                options_.interrupted);
    if (!ran) return tl::unexpected(ran.error());
    if (!ran->ended && options_.interrupted() != 0) return std::nullopt;
    if (ran->ended && ran->status == 0 && !folder->is_executing()) continue;
    return TargetEnd{ran->status, ran->lines, input, folder->take_found()};
  }
  return std::nullopt;
}

Result<void> CampaignFindings::keep(const FuzzProgram& program, const FoundByTarget& found) {
  if (!known_.insert(found.key).second) {
    ++duplicates_;
    return {};
  }
  known_.insert(found.first);
  CampaignFinding finding{found.key, found.line, {}, {}};
  if (!found.file.empty()) {
    const fs::path from = found.file;
    finding.file = options_.cases / (file_name(found.key) + from.extension().string());
    std::error_code problem;
    fs::create_directories(options_.cases, problem);
    if (const auto written = write_file(finding.file, content_of(from)); !written) return written;
    const bool is_case = from.extension() == ".case";
    finding.replay = is_case ? fmt::format("aesgate replay {}{}", finding.file.string(), options_.replay_arguments)
                             : replay_by_target(options_, program, finding.file);
  }
  add(std::move(finding));
  return {};
}

std::string CampaignFindings::key_of_death(const FuzzProgram& program, const TargetEnd& end) const {
  const std::string shape = program.target == "differential" ? name(decode(*end.input).shape) : program.target;
  return fmt::format("{}; {}; {}", options_.backends, shape, class_of_death(end));
}

/// What ends the process leaves nobody to reduce it but us.
Case CampaignFindings::reduce_death(const FuzzProgram& program, const TargetEnd& end) {
  const std::string key = key_of_death(program, end);
  const Case c = decode(*end.input);
  const auto until = std::chrono::steady_clock::now() + longest_reduction;
  return reduce(
      c,
      [&](const Case& smaller) {
        if (!can_encode(smaller) || std::chrono::steady_clock::now() > until) return false;
        const auto again = run_again(program, encode(smaller));
        return again && *again && key_of_death(program, **again) == key;
      },
      most_tries_of_death);
}

Result<void> CampaignFindings::keep_death(const FuzzProgram& program, const TargetEnd& end) {
  const std::string key = key_of_death(program, end);
  if (!known_.insert(key).second) {
    ++duplicates_;
    return {};
  }
  std::error_code problem;
  fs::create_directories(options_.cases, problem);
  const fs::path stem = options_.cases / file_name(key);
  fs::path input_file = stem.string() + ".input";
  Bytes input = *end.input;
  if (program.target == "differential") {
    Case c = reduce_death(program, end);
    input = encode(c);
    if (options_.backends.find_first_of(",:") == std::string::npos && options_.backends != "all")
      c.backend = options_.backends;
    c.origin = class_of_death(end);
    if (const auto written = write_case(stem.string() + ".case", c); !written) return written;
  }
  if (const auto written = write_file(input_file, text_of(input)); !written) return written;
  // By the target, which has the sanitizers, and takes the input as it was.
  const std::size_t shape = key.find("; ") + 2;
  add({key,
       fmt::format("{}: {}: {}", class_of_death(end), options_.backends, key.substr(shape, key.rfind("; ") - shape)),
       input_file, replay_by_target(options_, program, input_file)});
  return {};
}

void CampaignFindings::add(CampaignFinding finding) {
  options_.say(fmt::format("finding {}: {}", all_.size() + 1, finding.line));
  if (!finding.replay.empty()) options_.say("  replay: " + finding.replay);
  all_.push_back(std::move(finding));
}

}  // namespace aesgate
