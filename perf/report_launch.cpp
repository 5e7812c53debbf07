#include "perf/report_launch.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/plan.h"
#include "core/plugin.h"
#include "core/registry.h"
#include "perf/perf.h"
#include "perf/perf_formats.h"
#include "report/record.h"

namespace aesgate {
namespace {

template <typename T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

/// The cells of one mode and placement.
PerfOptions options_for(const LaunchRequest& request, Mode mode, bool in_place) {
  PerfOptions options;
  options.directions.clear();
  options.key_sizes.clear();
  options.placings = {{.in_place = in_place}};
  options.key_setup = false;
  for (const LaunchCell& cell : request.cells) {
    const Workload& workload = cell.workload;
    if (workload.shape.mode != mode || workload.in_place != in_place) continue;
    add_once(options.directions, workload.shape.direction);
    add_once(options.key_sizes, workload.shape.key_size);
    add_once(options.sizes, workload.bytes);
  }
  return options;
}

}  // namespace

Result<Launched> report_launch(const LaunchRequest& request) {
  const auto backends = load_plugin_copy(request.candidate);
  if (!backends) return tl::unexpected(backends.error());
  const auto backend = find_backend(request.candidate_backend, *backends);
  if (!backend) return error("{}: {}", request.candidate, backend.error().message);
  nlohmann::ordered_json all;
  for (const Mode mode : all_modes)
    for (const bool in_place : {false, true}) {
      const PerfOptions options = options_for(request, mode, in_place);
      if (options.sizes.empty()) continue;
      Plan plan;
      plan.backends = {*backend};
      plan.modes = {mode};
      plan.seed = request.seed;
      Record record{{}};
      const auto report = run_perf(plan, options, record);
      if (!report) return tl::unexpected(report.error());
      nlohmann::ordered_json json = to_json(*report);
      if (all.is_null()) {
        all = std::move(json);
        continue;
      }
      for (auto& result : json["results"]) all["results"].push_back(std::move(result));
    }
  Launched launched;
  launched.report = all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return launched;
}

}  // namespace aesgate
