#include "perf/saved_report.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/json_complaint.h"
#include "core/text_file.h"
#include "perf/gate_matrix.h"
#include "perf/statistics.h"

namespace aesgate {
namespace {

using Json = nlohmann::json;

constexpr double rates_differ = 0.001;

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().message);
  return *result;
}

SavedCell read_cell(const Json& json) {
  SavedCell cell;
  cell.backend = json.at("backend");
  cell.workload.shape.mode = value_of(parse_mode(json.at("mode").get<std::string>()));
  cell.workload.shape.direction = value_of(parse_direction(json.at("direction").get<std::string>()));
  cell.workload.shape.key_size = value_of(parse_key_bits(std::to_string(json.at("key_bits").get<unsigned>())));
  cell.workload.bytes = json.at("bytes_per_call");
  cell.workload.in_place = json.at("in_place");
  const std::string verdict = json.at("verdict");
  const Json cycles = json.value("core_cycles_per_byte", Json());
  if (json.contains("reason")) {
    cell.reason = fmt::format("{}: {}", verdict, json.at("reason").get<std::string>());
    cell.wrong = verdict != "unsupported" && verdict != "unavailable" && verdict != "declined" && verdict != "agree";
  } else if (cycles.is_null()) {
    cell.reason = "core cycles are not known, as something else ran";
  } else {
    cell.cycles_a_byte = cycles.at("median");
    const double lower = cycles.at("lower_quartile"), upper = cycles.at("upper_quartile");
    cell.spread = (upper - lower) / cell.cycles_a_byte;
    // Also false of what is no number. No AES takes as many: an emulated one some ten thousand.
    constexpr double most = 1e7;
    if (!(lower > 0 && lower <= cell.cycles_a_byte && cell.cycles_a_byte <= upper && upper < most))
      throw std::invalid_argument("a cell has impossible core cycles");
  }
  return cell;
}

void read_results(const Json& results, SavedReport& report) {
  std::size_t number = 0;
  for (const Json& cell : results) try {
      ++number;
      if (cell.value("offset", 0) == 0 && cell.at("verdict") != "unsupported") report.cells.push_back(read_cell(cell));
    } catch (const std::exception& wrong) {
      throw std::invalid_argument(fmt::format("result {}: {}", number, json_complaint(wrong.what())));
    }
}

SavedReport read(const Json& json) {
  if (!json.is_object() || json.value("schema", Json()) != 1 || json.value("command", Json()) != "perf")
    throw std::invalid_argument("it is no report of aesgate perf --json, of schema 1");
  const Json& host = json.at("host");
  SavedReport report;
  Host described;
  described.cpu = host.at("cpu");
  described.architecture = host.at("architecture");
  described.system = host.at("system");
  described.compiler = host.at("compiler");
  described.cpus = host.at("cpus");
  described.features = fmt::format("{}", fmt::join(host.at("features").get<std::vector<std::string>>(), " "));
  described.cpu_mask = host.at("cpu_mask");
  report.machine = machine_of(described);
  report.machine.emplace_back("clock", json.at("clock").at("name").get<std::string>());
  const Json surroundings = json.value("surroundings", Json::object());
  for (const char* key : {"governor", "turbo", "smt"})
    if (surroundings.contains(key) && !surroundings.at(key).is_null())
      report.machine.emplace_back(key, surroundings.at(key).dump());
  report.nanoseconds_per_unit = json.at("clock").at("nanoseconds_per_unit");
  report.window = json.at("window");
  read_results(json.at("results"), report);
  if (report.cells.empty()) throw std::invalid_argument("it has no results");
  return report;
}

const SavedCell* find(const SavedReport& report, const SavedCell& like) {
  const auto found = std::ranges::find_if(report.cells, [&](const SavedCell& cell) {
    return cell.backend == like.backend && cell.workload.shape == like.workload.shape &&
           cell.workload.bytes == like.workload.bytes && cell.workload.in_place == like.workload.in_place;
  });
  return found == report.cells.end() ? nullptr : &*found;
}

GateCell compare_cell(const SavedCell& saved, const std::vector<SavedReport>& launches, const SavedRules& rules) {
  GateCell cell;
  cell.workload = saved.workload;
  cell.verdict = GateVerdict::inconclusive;
  for (const SavedReport& launch : launches) {
    const SavedCell* measured = find(launch, saved);
    if (measured == nullptr || !measured->reason.empty())
      cell.reason = "the candidate: " + (measured == nullptr ? "it was not measured" : measured->reason);
    else if (saved.reason.empty())
      cell.screened.push_back(measured->cycles_a_byte / saved.cycles_a_byte - 1);
  }
  if (!saved.reason.empty()) cell.reason = "the saved baseline: " + saved.reason;
  if (!cell.screened.empty()) {
    const Estimate all = estimate(cell.screened);
    cell.change = GateCell::Change{all.median, all.low, all.high};
    cell.cycles_a_call = saved.cycles_a_byte * static_cast<double>(saved.workload.bytes);
  }
  if (!cell.reason.empty()) return cell;
  const double threshold = rules.supported(saved);
  const auto above = std::ranges::count_if(cell.screened, [&](double change) { return change > threshold; });
  const auto of = static_cast<std::ptrdiff_t>(cell.screened.size());
  if (above == 0) {
    cell.verdict = GateVerdict::pass;
    cell.faster = std::ranges::max(cell.screened) < -threshold;
    return cell;
  }
  if (above == of) cell.verdict = GateVerdict::regressed;
  cell.reason = fmt::format("slower by more than {:.1f}%, which the saved figure supports, in {} of {} launches{}",
                            100 * threshold, above, of,
                            above == of ? "" : ": run it where less else runs, or compare the two plugins");
  return cell;
}

}  // namespace

std::vector<std::string> SavedReport::backends() const {
  std::vector<std::string> names;
  for (const SavedCell& cell : cells)
    if (std::ranges::find(names, cell.backend) == names.end()) names.push_back(cell.backend);
  return names;
}

Result<SavedReport> read_saved_report(std::string_view text) {
  if (trim(text).empty()) return error("it is empty");
  try {
    return read(Json::parse(text));
  } catch (const std::exception& wrong) {
    return error("{}", json_complaint(wrong.what()));
  }
}

std::vector<std::pair<std::string, std::string>> machine_of(const Host& host) {
  return {{"CPU", host.cpu},
          {"architecture", host.architecture},
          {"system", host.system},
          {"compiler", host.compiler},
          {"CPUs", std::to_string(host.cpus)},
          {"features", host.features},
          {"--cpu-mask", host.cpu_mask}};
}

std::string why_not_comparable(const SavedReport& saved, const SavedReport& here) {
  for (const auto& [key, value] : saved.machine) {
    const auto same = std::ranges::find(here.machine, key, &std::pair<std::string, std::string>::first);
    if (same != here.machine.end() && same->second != value)
      return fmt::format("{}: \"{}\" there, \"{}\" here", key, excerpt(value), excerpt(same->second));
  }
  const double rate = saved.nanoseconds_per_unit;
  if (rate > 0 && here.nanoseconds_per_unit > 0 && std::abs(here.nanoseconds_per_unit / rate - 1) > rates_differ)
    return fmt::format("the clock's unit: {:.5f} ns there, {:.5f} ns here", rate, here.nanoseconds_per_unit);
  return {};
}

double SavedRules::supported(const SavedCell& cell) const {
  const double cycles_a_call = cell.cycles_a_byte * static_cast<double>(cell.workload.bytes);
  return std::max(threshold, least_threshold + cell.spread + launch_cycles / cycles_a_call);
}

GateResult compare_with_saved(const SavedReport& saved, const std::string& backend,
                              const std::vector<SavedReport>& launches, const SavedRules& rules) {
  GateResult result;
  result.baseline = result.candidate = backend;
  result.launches = launches.size();
  result.sentinels = false;
  double least = 1, most = 0;
  for (const SavedCell& cell : saved.cells) {
    if (cell.backend != backend) continue;
    result.cells.push_back(compare_cell(cell, launches, rules));
    if (!cell.reason.empty()) continue;
    least = std::min(least, rules.supported(cell));
    most = std::max(most, rules.supported(cell));
  }
  result.notes.push_back(fmt::format(
      "a saved baseline is one launch of another time: its own spread supports thresholds of {:.1f}% to {:.1f}%, no "
      "sentinel shows what could have been seen, and what is below may be the loader's luck; two plugins side by side "
      "show less than a percent",
      100 * std::min(least, most), 100 * most));
  const std::size_t regressed = result.count(GateVerdict::regressed);
  const std::size_t open = result.count(GateVerdict::inconclusive);
  const auto say = [&result](GateVerdict verdict, std::string reason) {
    result.verdict = verdict;
    result.reason = std::move(reason);
  };
  for (const SavedReport& launch : launches)
    for (const SavedCell& cell : launch.cells)
      if (cell.backend == backend && cell.wrong) {
        say(GateVerdict::wrong, fmt::format("{}: {}", name(cell.workload), cell.reason));
        return result;
      }
  if (regressed > 0)
    say(GateVerdict::regressed,
        fmt::format("{} of {} cells are slower than the saved baseline supports", regressed, result.cells.size()));
  else if (open > 0)
    say(GateVerdict::inconclusive,
        fmt::format("{} of {} cells are neither slower nor surely not; run it where less else runs, or compare the two "
                    "plugins",
                    open, result.cells.size()));
  else
    say(GateVerdict::pass,
        fmt::format("no cell of {} is slower by more than the {:.1f}% that the saved baseline supports",
                    result.cells.size(), 100 * most));
  return result;
}

}  // namespace aesgate
