#include "explain/openssl_session.h"

#include <algorithm>

#include "explain/openssl_lines.h"
#include "explain/words.h"

namespace aesgate::explain {
namespace {

constexpr std::size_t most_errors = 8;

}  // namespace

void OpensslSession::take_command(const OpensslCommand& given, const Place& place) {
  command = given;
  has_command = true;
  evp = !command.evp.empty();
  said.command = command.text;
  said.engine = command.engine;
  said.engine_place = place;
  said.processes = std::max(1u, command.processes);
}

bool OpensslSession::take_remark(const std::string& line, const Place& place) {
  const std::vector<std::string_view> parts = words(line);
  if (parts.empty()) return false;
  if (line.starts_with("Forked child ") && parts.size() == 3) {
    several_processes = true;
    if (const auto number = parse_decimal(parts[2]); number && *number < 65536)
      said.processes = std::max(said.processes, static_cast<unsigned>(*number) + 1);
  } else if ((parts[0] == "OpenSSL" || parts[0] == "version:") && parts.size() > 1 && parts[1][0] >= '0' &&
             parts[1][0] <= '9') {
    said.version = parts[1];
  } else if (parts[0] == "LibreSSL") {
    said.version = line;
  } else if (line.starts_with("timing function used: ")) {
    said.timing_function = parts.back();
  } else if (parts[0] == "CPUINFO:") {
    said.cpu_info = line.substr(8);
    said.cpu_info_place = place;
  } else if (!said.engine_refusal.empty() && mentions(line, ":error:") && said.engine_errors.size() < most_errors) {
    said.engine_errors.push_back(line);
  } else {
    const ProcessTimes times = parse_process_times(line);
    if (!times.elapsed && !times.user && !times.system) return false;
    if (times.elapsed) said.elapsed_seconds = *times.elapsed;
    if (times.user) said.user_seconds = *times.user;
    if (times.system) said.system_seconds = *times.system;
  }
  return true;
}

SpeedRun* OpensslSession::find(std::string_view name) {
  if (name == "evp" && runs.size() == 1) return &runs.front();
  const std::string& wanted = parse_algorithm(real_name(name)).name;
  const auto run = std::ranges::find_if(runs, [&](const SpeedRun& r) { return r.algorithm.name == wanted; });
  return run == runs.end() ? nullptr : &*run;
}

std::string_view OpensslSession::real_name(std::string_view name) const {
  return name == "evp" && !command.evp.empty() ? std::string_view(command.evp) : name;
}

SpeedRun& OpensslSession::find_or_add(std::string_view name, const Place& place) {
  if (SpeedRun* run = find(name)) return *run;
  note_form(name);
  SpeedRun& run = runs.emplace_back();
  run.algorithm = parse_algorithm(real_name(name));
  run.place = place;
  return run;
}

void OpensslSession::note_form(std::string_view name) {
  const Algorithm algorithm = parse_algorithm(name);
  if (evp || (!algorithm.aes && name != "evp")) return;
  if (name == "evp" || name.starts_with("AES-"))
    evp = true;
  else if (name.find(' ') != std::string_view::npos)
    evp = false;
  else
    lower_case_name = true;
}

void OpensslSession::settle(SpeedRun& run) const {
  Invocation& told = run.invocation;
  const bool late = std::ranges::any_of(run.samples, [](const Sample& sample) {
    return sample.has_seconds && sample.seconds < 0.98 * sample.planned_seconds;
  });
  if (command.elapsed) told.clock = Clock::elapsed;
  // Standard error has both the "Doing" lines and the one that says "elapsed time".
  if (told.clock != Clock::elapsed && (has_command || has_doing || late)) told.clock = Clock::cpu;
  told.evp = evp;
  if (!told.evp && lower_case_name && told.major_version() >= 0) told.evp = told.major_version() < 3;
  if (run.algorithm.aes && (has_command || told.evp == false))
    run.algorithm.direction = command.decrypt ? Direction::decrypt : Direction::encrypt;
}

bool has_size(const SpeedRun& run, std::size_t bytes) {
  return std::ranges::find(run.samples, bytes, &Sample::bytes) != run.samples.end();
}

}  // namespace aesgate::explain
