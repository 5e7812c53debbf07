#include <nlohmann/json.hpp>

#include "perf/perf_formats.h"
#include "report/json_head.h"

namespace aesgate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Estimate& estimate) {
  return {{"median", estimate.median},
          {"lower_quartile", estimate.lower_quartile},
          {"upper_quartile", estimate.upper_quartile},
          {"low", estimate.low},
          {"high", estimate.high},
          {"confidence", estimate.confidence},
          {"median_absolute_deviation", estimate.deviation},
          {"samples", estimate.samples}};
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_arithmetic_v<T>)
    return *value;
  else
    return to_json(*value);
}

Json to_json(const Figure& figure) { return {{"value", figure.value}, {"low", figure.low}, {"high", figure.high}}; }

Json raw_json(const std::vector<RawSample>& raw) {
  Json units = Json::array(), units_per_cycle = Json::array(), rounds = Json::array();
  for (const RawSample& sample : raw) {
    rounds.push_back(sample.round);
    units.push_back(sample.units);
    units_per_cycle.push_back(or_null(sample.units_per_cycle));
  }
  return {{"clock_units", std::move(units)},
          {"clock_units_per_core_cycle", std::move(units_per_cycle)},
          {"round", std::move(rounds)}};
}

Json to_json(const PerfResult& result, bool raw) {
  Json json{{"backend", result.backend},
            {"mode", name(result.shape.mode)},
            {"direction", name(result.shape.direction)},
            {"key_bits", bits(result.shape.key_size)},
            {"bytes_per_call", result.bytes},
            {"in_place", result.in_place},
            {"offset", result.offset},
            {"unit", result.unit},
            {"verdict", name(result.verdict)}};
  json["floor_core_cycles_per_byte"] = or_null(result.floor_cycles_per_byte);
  json["below_floor"] = result.below_floor;
  if (!result.timed()) {
    json["reason"] = result.reason;
    return json;
  }
  json["calls_per_sample"] = result.calls_per_sample;
  json["samples_taken"] = result.samples_taken;
  json["samples_used"] = result.samples_used;
  json["clock_units_per_byte"] = to_json(result.units_per_byte);
  json["nanoseconds_per_byte"] = result.nanoseconds_per_byte;
  json["core_cycles_per_byte"] = or_null(result.cycles_per_byte);
  json["ratio_to_floor"] = result.floor_cycles_per_byte && result.cycles_per_byte
                               ? Json(result.cycles_per_byte->median / *result.floor_cycles_per_byte)
                               : Json(nullptr);
  json["ratio_to_fastest"] = result.ratio_to_fastest;
  json["emulated"] = result.modelled_clocks_per_byte.has_value();
  if (result.modelled_clocks_per_byte) json["modelled_clocks_per_byte"] = *result.modelled_clocks_per_byte;
  if (result.elapsed)
    json["elapsed"] = {{"nanoseconds_per_byte", result.elapsed->nanoseconds_per_byte},
                       {"cpu_share", result.elapsed->cpu_share}};
  if (raw) json["raw"] = raw_json(result.raw);
  return json;
}

/// A line in one unit; `unit` is "clock_units" or "core_cycles".
void put_line(Json& json, const std::string& unit, const std::optional<CallLine>& line) {
  json["bulk_" + unit + "_per_byte"] = line ? to_json(line->per_byte) : Json(nullptr);
  json["call_" + unit] = line ? to_json(line->call) : Json(nullptr);
}

Json to_json(const PerfSeries& series, const ClockDescription& clock) {
  Json json{{"backend", series.backend},
            {"mode", name(series.shape.mode)},
            {"direction", name(series.shape.direction)},
            {"key_bits", bits(series.shape.key_size)},
            {"in_place", series.in_place},
            {"offset", series.offset},
            {"unit", series.unit}};
  json["floor_core_cycles_per_byte"] = or_null(series.floor_cycles_per_byte);
  json["wrong"] = series.wrong;
  json["below_floor"] = series.below_floor;
  if (series.below_floor) json["reason"] = series.reason;
  if (series.units) {
    json["bulk_from_bytes"] = series.units->from_bytes;
    json["bulk_to_bytes"] = series.units->to_bytes;
    json["bulk_nanoseconds_per_byte"] = series.units->per_byte.value * clock.nanoseconds_per_unit;
    json["ratio_to_fastest"] = series.ratio_to_fastest;
  }
  put_line(json, "clock_units", series.units);
  put_line(json, "core_cycles", series.cycles);
  json["ratio_to_floor"] = series.cycles && series.floor_cycles_per_byte
                               ? Json(series.cycles->per_byte.value / *series.floor_cycles_per_byte)
                               : Json(nullptr);
  json["key_setup"] = nullptr;
  if (const auto& setup = series.key_setup)
    json["key_setup"] = {{"samples_taken", setup->samples_taken},
                         {"samples_used", setup->samples_used},
                         {"clock_units", to_json(setup->units)},
                         {"nanoseconds", setup->nanoseconds},
                         {"core_cycles", or_null(setup->cycles)}};
  return json;
}

Json to_json(const Surroundings& s) {
  return {{"governor", s.governor.empty() ? Json(nullptr) : Json(s.governor)},
          {"turbo", or_null(s.turbo)},
          {"smt", or_null(s.smt)},
          {"core_siblings", s.siblings.empty() ? Json(nullptr) : Json(s.siblings)},
          {"load", or_null(s.load)},
          {"steal", or_null(s.steal)}};
}

}  // namespace

nlohmann::ordered_json to_json(const PerfReport& report, bool raw) {
  const ClockDescription& clock = report.clock;
  Json json = json_head("perf", report.host);
  json["build_warning"] = report.build_warning;
  json["cpu"] = report.cpu;
  json["surroundings"] = to_json(report.surroundings);
  json["seed"] = report.seed;
  json["clock"] = {{"name", clock.name},
                   {"unit", clock.unit},
                   {"counts_core_cycles", clock.counts_core_cycles},
                   {"why_not_better", clock.why_not_better},
                   {"nanoseconds_per_unit", clock.nanoseconds_per_unit},
                   {"step_at_most_in_units", clock.step},
                   {"overhead_in_units", clock.overhead}};
  json["cycles_source"] = report.cycles_source;
  json["floors_source"] = report.floors_source;
  json["core_ghz"] = or_null(report.core_ghz);
  json["window"] = name(report.window);
  json["samples_taken"] = report.samples_taken;
  json["samples_agreed"] = report.samples_agreed;
  json["samples_used"] = report.samples_used;
  json["agreement"] = report.agreement();
  json["best_instructions_per_cycle"] = report.best_instructions_per_cycle;
  json["results"] = Json::array();
  for (const PerfResult& result : report.results) json["results"].push_back(to_json(result, raw));
  json["series"] = Json::array();
  for (const PerfSeries& series : report.series) json["series"].push_back(to_json(series, clock));
  return json;
}

}  // namespace aesgate
