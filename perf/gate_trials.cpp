#include "perf/gate_trials.h"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/splitmix.h"
#include "perf/gate_record.h"
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
  return fmt::format("{}{}", row.planted == 0 ? "identical" : fmt::format("+{:g}% in one cell", 100 * row.planted),
                     row.redrawn ? ", redrawn" : "");
}

/// One run of the kind that a row is of.
Result<void> add_run(SelfTestRow& row, const LaunchRequest& request, const std::vector<Workload>& workloads,
                     GateOptions options, const Launcher& launcher, std::mt19937_64& random) {
  options.seed = random();
  options.planted.reset();
  if (row.planted > 0) options.planted = GateOptions::Planted{random() % workloads.size(), row.planted};
  const auto result = compare_backends(request, workloads, options, launcher);
  if (!result) return tl::unexpected(result.error());
  if (result->verdict == GateVerdict::wrong) return error("self-test: {}", result->reason);
  count(row, *result, options.planted);
  return {};
}

}  // namespace

Proportion SelfTestRow::rate() const { return proportion(planted == 0 ? alarms : found, runs); }

std::size_t SelfTest::runs(bool redrawn) const {
  std::size_t all = 0;
  for (const SelfTestRow& row : rows)
    if (row.redrawn == redrawn) all += row.runs;
  return all;
}

Result<SelfTest> test_gate(const LaunchRequest& request, const std::vector<Workload>& workloads,
                           const GateOptions& options, const Launcher& launcher, SelfTestRuns runs,
                           const std::function<void(const SelfTest& so_far)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  SelfTest test;
  test.host = describe_host();
  test.file = request.baseline;
  test.backend = request.baseline_backend;
  test.cells = workloads.size();
  test.threshold = options.threshold;
  test.seed = options.seed;
  for (const double planted : self_test_planted) test.rows.emplace_back().planted = planted;
  std::mt19937_64 random(options.seed);
  LaunchRecord record;
  const Launcher recording = [&](const LaunchRequest& asked) {
    auto launched = launcher(asked);
    if (launched) record.add(asked, *launched);
    return launched;
  };
  for (std::size_t run = 0; run < runs.real; ++run)
    for (SelfTestRow& row : test.rows) {
      if (const auto added = add_run(row, request, workloads, options, recording, random); !added)
        return tl::unexpected(added.error());
      test.seconds = seconds();
      if (progress) progress(test);
    }
  test.recorded = record.size();
  if (runs.redrawn == 0 || record.size() == 0) return test;
  for (const double planted : self_test_planted) {
    SelfTestRow& row = test.rows.emplace_back();
    row.planted = planted;
    row.redrawn = true;
    for (std::size_t run = 0; run < runs.redrawn; ++run) {
      std::size_t next = random() % record.size();
      const Launcher drawing = [&](const LaunchRequest& asked) -> Result<Launched> {
        return record.draw(asked, next++);
      };
      if (const auto added = add_run(row, request, workloads, options, drawing, random); !added)
        return tl::unexpected(added.error());
    }
  }
  test.seconds = seconds();
  return test;
}

std::string to_table(const SelfTest& test) {
  std::string text = fmt::format(
      "CPU      {} ({}, {})\nbackend  {} of {}, against itself; {} cells, threshold {:g}%, seed {}\n", test.host.cpu,
      test.host.architecture, test.host.system, test.backend, test.file, test.cells, 100 * test.threshold, test.seed);
  if (!test.surroundings.empty()) text += wrapped("beside   ", test.surroundings);
  text += '\n';
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
  text += table.text(false);
  text +=
      wrapped("", fmt::format("rate: of runs with a false alarm where nothing is planted, else of runs that found what "
                              "is; its interval is what so many runs can say, {} real ones in all. {:.0f} s.",
                              test.runs(false), test.seconds));
  if (test.runs(true) > 0)
    text +=
        wrapped("", fmt::format("redrawn: consecutive ones of the {} launches of all cells that the real runs made, "
                                "from a beginning that was drawn, and what is planted multiplied in. They tell what "
                                "these launches would have come to in another order, and no more than those saw.",
                                test.recorded));
  return text;
}

nlohmann::ordered_json to_json(const SelfTest& test) {
  nlohmann::ordered_json json = json_head("gate --self-test", test.host);
  json["file"] = test.file;
  json["backend"] = test.backend;
  json["cells"] = test.cells;
  json["threshold"] = test.threshold;
  json["seed"] = test.seed;
  json["surroundings"] = test.surroundings;
  json["recorded_launches"] = test.recorded;
  json["seconds"] = test.seconds;
  json["rows"] = nlohmann::ordered_json::array();
  for (const SelfTestRow& row : test.rows) {
    nlohmann::ordered_json verdicts;
    for (std::size_t i = 0; i < row.verdicts.size(); ++i)
      verdicts[std::string(name(static_cast<GateVerdict>(i)))] = row.verdicts[i];
    const Proportion rate = row.rate();
    json["rows"].push_back({{"planted", row.planted},
                            {"redrawn", row.redrawn},
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
