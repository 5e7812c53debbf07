#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "perf/perf_formats.h"

namespace aesgate {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const PerfResult& result) {
  return fmt::format("{}/{}/{}/{}/{}{}{}", result.backend, name(result.shape.mode), name(result.shape.direction),
                     bits(result.shape.key_size), result.bytes, result.in_place ? "/in_place" : "",
                     result.offset == 0 ? "" : fmt::format("/offset:{}", result.offset));
}

Json benchmark(const PerfReport& report, const PerfResult& result, std::size_t index) {
  const std::string name = name_of(result);
  Json json{{"name", name},
            {"family_index", index},
            {"per_family_instance_index", 0},
            {"run_name", name},
            {"run_type", "iteration"},
            {"repetitions", 1},
            {"repetition_index", 0},
            {"threads", 1}};
  if (!result.timed()) {
    json["error_occurred"] = true;
    json["error_message"] = result.reason;
    return json;
  }
  const auto bytes = static_cast<double>(result.bytes);
  const double real = (result.elapsed ? result.elapsed->nanoseconds_per_byte : result.nanoseconds_per_byte) * bytes;
  json["iterations"] = result.calls_per_sample * result.samples_taken;
  json["real_time"] = real;
  json["cpu_time"] = result.elapsed ? real * result.elapsed->cpu_share : real;
  json["time_unit"] = "ns";
  json["bytes_per_second"] = 1e9 * bytes / real;
  if (result.cycles_per_byte) json["core_cycles_per_byte"] = result.cycles_per_byte->median;
  json["label"] = report.window == Window::clean ? "" : std::string(aesgate::name(report.window));
  return json;
}

}  // namespace

nlohmann::ordered_json to_benchmark_json(const PerfReport& report) {
  const Surroundings& s = report.surroundings;
  Json context{{"executable", "aesgate perf"},
               {"num_cpus", report.host.cpus},
               {"mhz_per_cpu", report.core_ghz ? static_cast<int>(*report.core_ghz * 1000 + 0.5) : 0},
               {"cpu_scaling_enabled", !s.governor.empty() && s.governor != "performance"},
               {"caches", Json::array()},
               {"load_avg", s.load ? Json::array({*s.load}) : Json::array()},
               {"library_build_type", report.build_warning.empty() ? "release" : "debug"}};
  Json json{{"context", std::move(context)}, {"benchmarks", Json::array()}};
  for (std::size_t i = 0; i < report.results.size(); ++i)
    json["benchmarks"].push_back(benchmark(report, report.results[i], i));
  return json;
}

}  // namespace aesgate
