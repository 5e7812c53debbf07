// What the gate makes of launches. They are made up here, each from what was seen of real ones, so that no test depends
// on the machine; and so many runs can be made that a rate means something.

#include "perf/gate.h"

#include <functional>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "perf/gate_matrix.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

/// How launches look like: the median of a launch's pairs is the cell's change, and noise.
struct Machine {
  std::map<std::string, double> slower = {};  // by cell, the candidate's change
  double spread = 0.001;                      // of the medians, about this far
  double mode = 0;      // half the launches have a cell faster or slower by this, as the loader had it
  double own_copy = 0;  // what the baseline's own copy comes out slower by
  double sees = 1;      // the part of what is planted that shows
  std::size_t pairs_used = 60;
  std::function<void(Launched&)> spoil = [](Launched&) {};
};

class FakeLauncher {
 public:
  FakeLauncher(Machine machine, std::uint64_t seed) : machine_(std::move(machine)), random_(seed) {}

  Result<Launched> operator()(const LaunchRequest& request) {
    requests.push_back(request);
    Launched launched;
    launched.clock = "fake";
    launched.nanoseconds_per_unit = 0.5;
    for (const LaunchCell& cell : request.cells) {
      LaunchedCell& seen = launched.cells.emplace_back();
      seen.summary.taken = 60;
      seen.summary.calibrated = 50;
      seen.summary.used = machine_.pairs_used;
      seen.summary.baseline_units = 100;
      seen.summary.baseline_cycles = 150;
      if (machine_.pairs_used >= least_pairs) seen.summary.change = change(cell);
    }
    machine_.spoil(launched);
    return launched;
  }

  std::vector<LaunchRequest> requests;

 private:
  double change(const LaunchCell& cell) {
    double change = cell.planted * machine_.sees;
    if (cell.with == LaunchCell::With::own_copy) change += machine_.own_copy;
    const auto known = machine_.slower.find(name(cell.workload));
    if (cell.with == LaunchCell::With::candidate && known != machine_.slower.end()) change += known->second;
    // Near enough to a normal distribution, and the same with every standard library.
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform() - 0.5;
    const double side = uniform();
    return change + machine_.spread * sum + (side < 0.25 ? -machine_.mode : side < 0.5 ? machine_.mode : 0);
  }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  Machine machine_;
  std::mt19937_64 random_;
};

std::vector<Workload> all_cells() { return *gate_workloads({}, 1); }

GateResult gate(const Machine& machine, std::uint64_t seed = 1, GateOptions options = {}) {
  FakeLauncher launcher(machine, seed);
  return *compare_backends({}, all_cells(), options, std::ref(launcher));
}

constexpr const char* in_place = "CFB128 encrypt 128, 16384 bytes in place";
constexpr const char* one_block = "ECB encrypt 128, 16 bytes";

std::set<std::string> regressed_in(const GateResult& result) {
  std::set<std::string> names;
  for (const GateCell& cell : result.cells)
    if (cell.verdict == GateVerdict::regressed) names.insert(name(cell.workload));
  return names;
}

TEST(Gate, PassesWhatIsTheSame) {
  const GateResult result = gate({});
  EXPECT_EQ(result.verdict, GateVerdict::pass) << result.reason;
  EXPECT_EQ(result.count(GateVerdict::pass), all_cells().size());
  EXPECT_EQ(result.with_planted.verdict, GateVerdict::regressed);
  EXPECT_EQ(result.own_copy.verdict, GateVerdict::pass);
  EXPECT_EQ(result.launches, 20u) << "no second round";
  EXPECT_EQ(result.cells.front().nanoseconds_a_call, 50);
  EXPECT_EQ(result.cells.front().cycles_a_call, 150);
}

TEST(Gate, FindsTheCellThatIsSlowerAndNoOther) {
  for (const double slower : {0.02, 0.36, 9.0}) {
    const GateResult result = gate({.slower = {{in_place, slower}}});
    EXPECT_EQ(result.verdict, GateVerdict::regressed) << result.reason;
    EXPECT_EQ(regressed_in(result), std::set<std::string>{in_place});
    EXPECT_EQ(result.reason, "1 of 88 cells are slower by more than 0.75%");
  }
}

TEST(Gate, ShowsWhatIsFaster) {
  const GateResult result = gate({.slower = {{one_block, -0.3}}});
  EXPECT_EQ(result.verdict, GateVerdict::pass);
  EXPECT_TRUE(result.cells.front().faster);
  EXPECT_NEAR(result.cells.front().change->median, -0.3, 0.001);
  EXPECT_FALSE(result.cells.back().faster);
}

TEST(Gate, FindsEveryCellWhereAllAreSlower) {
  Machine machine;
  for (const Workload& workload : all_cells()) machine.slower[name(workload)] = 0.02;
  const GateResult result = gate(machine);
  EXPECT_EQ(result.count(GateVerdict::regressed), all_cells().size());
  EXPECT_EQ(result.launches, 20u) << "the correction for many cells is not so hard that it takes a second round";
}

TEST(Gate, JudgesASuspectByNewLaunchesAlone) {
  FakeLauncher launcher({.slower = {{in_place, 0.05}}}, 1);
  const auto result = compare_backends({}, all_cells(), {}, std::ref(launcher));
  ASSERT_TRUE(result);
  ASSERT_EQ(launcher.requests.size(), 20u);
  EXPECT_EQ(launcher.requests.front().cells.size(), all_cells().size() + 2) << "all cells and the sentinels";
  EXPECT_EQ(launcher.requests.back().cells.size(), 3u) << "the suspect and the sentinels";
  std::set<std::uint64_t> seeds;
  for (const LaunchRequest& request : launcher.requests) seeds.insert(request.seed);
  EXPECT_EQ(seeds.size(), launcher.requests.size()) << "each launch draws its own order";
  for (const GateCell& cell : result->cells)
    if (name(cell.workload) == in_place) {
      EXPECT_TRUE(cell.confirmed);
      EXPECT_EQ(cell.screened.size(), 6u);
      EXPECT_EQ(cell.confirming.size(), 14u);
    }
}

TEST(Gate, IsInvalidIfThePlantedSlowDownIsNotFound) {
  const GateResult result = gate({.sees = 0.2});
  EXPECT_EQ(result.verdict, GateVerdict::invalid);
  EXPECT_THAT(result.reason, HasSubstr("the 2% that were planted were not found"));
  EXPECT_EQ(exit_status(result.verdict), 3);
}

TEST(Gate, IsInvalidIfTheBaselineDiffersFromItself) {
  for (const double differs : {0.03, -0.03}) {
    const GateResult result = gate({.slower = {{in_place, 0.05}}, .own_copy = differs});
    EXPECT_EQ(result.verdict, GateVerdict::invalid) << "also where a cell looks slower: " << differs;
    EXPECT_THAT(result.reason, HasSubstr("the baseline differs from its own copy"));
  }
}

TEST(Gate, IsInconclusiveWhereLaunchesDisagree) {
  const GateResult wild = gate({.spread = 0.05});
  EXPECT_NE(wild.verdict, GateVerdict::pass) << "nothing can be seen in this";
  EXPECT_EQ(exit_status(wild.verdict), 3) << wild.reason;
}

TEST(Gate, NeverPassesWithoutMeasuring) {
  GateOptions no_time;
  no_time.seconds = 0;
  const GateResult late = gate({}, 1, no_time);
  EXPECT_EQ(late.verdict, GateVerdict::inconclusive);
  EXPECT_THAT(late.reason, HasSubstr("--seconds"));
  const GateResult disturbed = gate({.pairs_used = 3});
  EXPECT_EQ(exit_status(disturbed.verdict), 3) << disturbed.reason;
  EXPECT_THAT(disturbed.cells.front().reason, HasSubstr("other work took the CPU"));
}

TEST(Gate, WhatCrashesOrAnswersOtherwiseIsWrong) {
  const GateResult lost = gate({.spoil = [](Launched& launched) {
    launched.cells.clear();
    launched.lost = "SIGSEGV ended the process";
  }});
  EXPECT_EQ(lost.verdict, GateVerdict::wrong);
  EXPECT_EQ(lost.reason, "SIGSEGV ended the process");
  EXPECT_EQ(exit_status(lost.verdict), 1);
  const GateResult other = gate({.spoil = [](Launched& launched) {
    launched.cells[7].verdict = Verdict::mismatch;
    launched.cells[7].reason = "after the timing baseline and candidate no longer give the same output";
  }});
  EXPECT_EQ(other.verdict, GateVerdict::wrong);
  EXPECT_THAT(other.reason, HasSubstr("mismatch: after the timing"));
}

TEST(Gate, AnErrorOfTheLauncherIsItsOwn) {
  const auto result = compare_backends(
      {}, all_cells(), {}, [](const LaunchRequest&) -> Result<Launched> { return error("no process to measure in"); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no process to measure in");
}

/// Medians of launches spread by 0.1%, and half of them lie 0.9% to one side, as on the noisiest cells that were met.
TEST(Gate, RaisesNoFalseAlarmOnLaunchesOfTwoKinds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const GateResult result = gate({.mode = 0.009}, seed);
    EXPECT_NE(result.verdict, GateVerdict::regressed) << "seed " << seed << ": " << result.reason;
  }
}

TEST(Gate, FindsOnePercentInMostRunsAndTwoInAll) {
  for (const auto& [slower, least] : {std::pair(0.01, 90), std::pair(0.02, 100)}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
      found += gate({.slower = {{in_place, slower}}}, seed).verdict == GateVerdict::regressed;
    EXPECT_GE(found, least) << slower;
  }
}

TEST(GateReport, TakesTheWorstVerdict) {
  using enum GateVerdict;
  const auto verdict_of = [](const std::vector<GateVerdict>& verdicts) {
    GateReport report;
    for (const GateVerdict verdict : verdicts) report.results.emplace_back().verdict = verdict;
    return report.verdict();
  };
  EXPECT_EQ(verdict_of({}), invalid) << "nothing was compared";
  EXPECT_EQ(verdict_of({pass, pass}), pass);
  EXPECT_EQ(verdict_of({pass, inconclusive}), inconclusive);
  EXPECT_EQ(verdict_of({invalid, inconclusive, pass}), invalid);
  EXPECT_EQ(verdict_of({regressed, invalid}), regressed);
  EXPECT_EQ(verdict_of({regressed, wrong}), wrong);
  EXPECT_EQ(exit_status(pass), 0);
  EXPECT_EQ(exit_status(regressed), 1);
  EXPECT_EQ(exit_status(wrong), 1);
  EXPECT_EQ(exit_status(inconclusive), 3);
  EXPECT_EQ(exit_status(invalid), 3);
}

}  // namespace
}  // namespace aesgate
