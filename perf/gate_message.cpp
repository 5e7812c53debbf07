// The messages of gate_launch.h. Both ends are the same build; but the process that measures has run the code of
// plugins, so that what it says is checked.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/json_complaint.h"
#include "perf/gate_launch.h"

namespace aesgate {
namespace {

using Json = nlohmann::json;

Json to_json(const LaunchCell& cell) {
  const Shape& shape = cell.workload.shape;
  return {{"mode", name(shape.mode)},
          {"direction", name(shape.direction)},
          {"key_bits", bits(shape.key_size)},
          {"bytes", cell.workload.bytes},
          {"in_place", cell.workload.in_place},
          {"seed", cell.workload.seed},
          {"own_copy", cell.with == LaunchCell::With::own_copy},
          {"planted", cell.planted}};
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().message);
  return *result;
}

LaunchCell read_cell(const Json& json) {
  LaunchCell cell;
  cell.workload.shape.mode = value_of(parse_mode(json.at("mode").get<std::string>()));
  cell.workload.shape.direction = value_of(parse_direction(json.at("direction").get<std::string>()));
  cell.workload.shape.key_size = value_of(parse_key_bits(std::to_string(json.at("key_bits").get<unsigned>())));
  cell.workload.bytes = json.at("bytes");
  cell.workload.in_place = json.at("in_place");
  cell.workload.seed = json.at("seed");
  cell.with = json.at("own_copy").get<bool>() ? LaunchCell::With::own_copy : LaunchCell::With::candidate;
  cell.planted = json.at("planted");
  return cell;
}

Json optional_to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<double> read_optional(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}

Json to_json(const CellCounts& counts) {
  return {{"bytes", counts.bytes},
          {"reason", counts.reason},
          {"baseline", counts.baseline},
          {"candidate", counts.candidate},
          {"baseline_aes", counts.baseline_aes},
          {"candidate_aes", counts.candidate_aes},
          {"same_execution", counts.same_execution}};
}

CellCounts read_counts(const Json& json) {
  return {json.at("bytes"),        json.at("reason"),        json.at("baseline"),      json.at("candidate"),
          json.at("baseline_aes"), json.at("candidate_aes"), json.at("same_execution")};
}

Json to_json(const LaunchedCell& cell) {
  const PairSummary& summary = cell.summary;
  return {{"verdict", static_cast<int>(cell.verdict)},
          {"reason", cell.reason},
          {"taken", summary.taken},
          {"calibrated", summary.calibrated},
          {"used", summary.used},
          {"change", optional_to_json(summary.change)},
          {"units", summary.baseline_units},
          {"cycles", optional_to_json(summary.baseline_cycles)},
          {"counts", to_json(cell.counts)}};
}

LaunchedCell read_launched_cell(const Json& json) {
  const unsigned verdict = json.at("verdict");
  if (verdict >= verdict_count) throw std::invalid_argument("no such verdict");
  LaunchedCell cell{static_cast<Verdict>(verdict), json.at("reason"), {}, read_counts(json.at("counts"))};
  cell.summary.taken = json.at("taken");
  cell.summary.calibrated = json.at("calibrated");
  cell.summary.used = json.at("used");
  cell.summary.change = read_optional(json.at("change"));
  cell.summary.baseline_units = json.at("units");
  cell.summary.baseline_cycles = read_optional(json.at("cycles"));
  return cell;
}

/// nlohmann-json throws where something is not there or another type; here that is an Error.
template <typename Read>
auto read_message(std::string_view text, Read read) -> Result<decltype(read(Json()))> {
  try {
    return read(Json::parse(text));
  } catch (const std::exception& wrong) {
    return error("no message of a launch: {}", json_complaint(wrong.what()));
  }
}

/// Reasons may hold any byte that a backend made.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_text(const LaunchRequest& request) {
  Json cells = Json::array();
  for (const LaunchCell& cell : request.cells) cells.push_back(to_json(cell));
  // Paths are bytes, and JSON is Unicode.
  const auto bytes_of = [](const std::string& path) { return std::vector<std::uint8_t>(path.begin(), path.end()); };
  return dump({{"baseline", bytes_of(request.baseline)},
               {"candidate", bytes_of(request.candidate)},
               {"baseline_backend", request.baseline_backend},
               {"candidate_backend", request.candidate_backend},
               {"seed", request.seed},
               {"pairs", request.pairs},
               {"seconds_a_cell", request.seconds_a_cell},
               {"task", static_cast<int>(request.task)},
               {"count_seconds", request.count_seconds},
               {"most_instructions", request.most_instructions},
               {"cells", std::move(cells)}});
}

Result<LaunchRequest> read_request(std::string_view text) {
  return read_message(text, [](const Json& json) {
    LaunchRequest request;
    const auto path = [&](const char* key) {
      const std::vector<std::uint8_t> bytes = json.at(key);
      return std::string(bytes.begin(), bytes.end());
    };
    request.baseline = path("baseline");
    request.candidate = path("candidate");
    request.baseline_backend = json.at("baseline_backend");
    request.candidate_backend = json.at("candidate_backend");
    request.seed = json.at("seed");
    request.pairs = json.at("pairs");
    request.seconds_a_cell = json.at("seconds_a_cell");
    const unsigned task = json.at("task");
    if (task > static_cast<unsigned>(LaunchRequest::Task::report)) throw std::invalid_argument("no such task");
    request.task = static_cast<LaunchRequest::Task>(task);
    request.count_seconds = json.at("count_seconds");
    request.most_instructions = json.at("most_instructions");
    for (const Json& cell : json.at("cells")) request.cells.push_back(read_cell(cell));
    return request;
  });
}

std::string to_text(const Launched& launched) {
  Json cells = Json::array();
  for (const LaunchedCell& cell : launched.cells) cells.push_back(to_json(cell));
  return dump({{"lost", launched.lost},
               {"report", launched.report},
               {"clock", launched.clock},
               {"unit", launched.unit},
               {"nanoseconds_per_unit", launched.nanoseconds_per_unit},
               {"pinned", launched.pinned},
               {"cells", std::move(cells)}});
}

Result<Launched> read_launched(std::string_view text) {
  return read_message(text, [](const Json& json) {
    Launched launched;
    launched.lost = json.at("lost");
    launched.report = json.at("report");
    launched.clock = json.at("clock");
    launched.unit = json.at("unit");
    launched.nanoseconds_per_unit = json.at("nanoseconds_per_unit");
    launched.pinned = json.at("pinned");
    for (const Json& cell : json.at("cells")) launched.cells.push_back(read_launched_cell(cell));
    return launched;
  });
}

}  // namespace aesgate
