#include "perf/gate_trials.h"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/splitmix.h"
#include "report/json_head.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

/// What a run came to, into its row.
void count(SelfTestRow& row, const GateResult& result, const std::optional<GateOptions::Planted>& planted) {
  ++row.runs;
  ++row.verdicts[static_cast<std::size_t>(result.verdict)];
  row.pairs_taken += result.pairs_taken;
  row.pairs_calibrated += result.pairs_calibrated;
  bool alarm = false;
  // What an invalid run says of its cells is not said to anybody.
  for (std::size_t i = 0; i < result.cells.size() && result.verdict == GateVerdict::regressed; ++i) {
    if (result.cells[i].verdict != GateVerdict::regressed) continue;
    if (planted && planted->cell == i)
      ++row.found;
    else
      alarm = true;
  }
  row.alarms += alarm;
}

std::string what_of(const SelfTestRow& row) {
  return row.planted == 0 ? "identical" : fmt::format("+{:g}% in one cell", 100 * row.planted);
}

}  // namespace

Proportion SelfTestRow::rate() const { return proportion(planted == 0 ? alarms : found, runs); }

Result<SelfTest> test_gate(const LaunchRequest& request, const std::vector<Workload>& workloads,
                           const GateOptions& options, const Launcher& launcher, std::size_t runs,
                           const std::function<void(const SelfTest& so_far)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  SelfTest test;
  test.host = describe_host();
  test.file = request.baseline;
  test.backend = request.baseline_backend;
  test.cells = workloads.size();
  test.threshold = options.threshold;
  test.seed = options.seed;
  for (const double planted : self_test_planted) test.rows.emplace_back().planted = planted;
  std::mt19937_64 random(options.seed);
  for (std::size_t run = 0; run < runs; ++run)
    for (SelfTestRow& row : test.rows) {
      GateOptions with = options;
      with.seed = random();
      with.planted.reset();
      if (row.planted > 0) with.planted = GateOptions::Planted{random() % workloads.size(), row.planted};
      const auto result = compare_backends(request, workloads, with, launcher);
      if (!result) return tl::unexpected(result.error());
      if (result->verdict == GateVerdict::wrong) return error("self-test: {}", result->reason);
      count(row, *result, with.planted);
      test.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (progress) progress(test);
    }
  return test;
}

std::string to_table(const SelfTest& test) {
  std::string text = fmt::format(
      "CPU      {} ({}, {})\nbackend  {} of {}, against itself; {} cells, threshold {:g}%, seed {}\n\n", test.host.cpu,
      test.host.architecture, test.host.system, test.backend, test.file, test.cells, 100 * test.threshold, test.seed);
  TextTable table;
  table.add({{"candidate"},
             {"runs"},
             {"false alarms"},
             {"found"},
             {"rate, 95% interval"},
             {"PASS"},
             {"REGR."},
             {"INCONCL."},
             {"INVALID"},
             {"calibrated"}});
  for (const SelfTestRow& row : test.rows) {
    const Proportion rate = row.rate();
    const double part = row.runs == 0 ? 0 : static_cast<double>(rate.count) / static_cast<double>(rate.of);
    const double calibrated =
        row.pairs_taken == 0 ? 0 : static_cast<double>(row.pairs_calibrated) / static_cast<double>(row.pairs_taken);
    table.add({{what_of(row)},
               {std::to_string(row.runs)},
               {std::to_string(row.alarms)},
               {row.planted == 0 ? "-" : std::to_string(row.found)},
               {fmt::format("{:.1f}% [{:.1f}, {:.1f}]", 100 * part, 100 * rate.low, 100 * rate.high)},
               {std::to_string(row.verdicts[0])},
               {std::to_string(row.verdicts[1])},
               {std::to_string(row.verdicts[2])},
               {std::to_string(row.verdicts[3])},
               {fmt::format("{:.0f}%", 100 * calibrated)}});
  }
  std::size_t runs = 0;
  for (const SelfTestRow& row : test.rows) runs += row.runs;
  return text + table.text(false) +
         wrapped("", fmt::format("rate: of runs with a false alarm where nothing is planted, else of runs that found "
                                 "what is; its interval is what {} runs, all of them real, can say. {:.0f} s in all.",
                                 runs, test.seconds));
}

nlohmann::ordered_json to_json(const SelfTest& test) {
  nlohmann::ordered_json json = json_head("gate --self-test", test.host);
  json["file"] = test.file;
  json["backend"] = test.backend;
  json["cells"] = test.cells;
  json["threshold"] = test.threshold;
  json["seed"] = test.seed;
  json["seconds"] = test.seconds;
  json["rows"] = nlohmann::ordered_json::array();
  for (const SelfTestRow& row : test.rows) {
    nlohmann::ordered_json verdicts;
    for (std::size_t i = 0; i < row.verdicts.size(); ++i)
      verdicts[std::string(name(static_cast<GateVerdict>(i)))] = row.verdicts[i];
    const Proportion rate = row.rate();
    json["rows"].push_back({{"planted", row.planted},
                            {"runs", row.runs},
                            {"false_alarms", row.alarms},
                            {"found", row.found},
                            {"rate_low", rate.low},
                            {"rate_high", rate.high},
                            {"verdicts", verdicts},
                            {"pairs_taken", row.pairs_taken},
                            {"pairs_calibrated", row.pairs_calibrated}});
  }
  return json;
}

}  // namespace aesgate
