#include "perf/gate_record.h"

#include <gmock/gmock.h>

namespace aesgate {
namespace {

Workload workload(std::size_t bytes) { return {{Mode::ecb, Direction::encrypt, KeySize::bits128}, bytes}; }

constexpr auto own_copy = LaunchCell::With::own_copy;

LaunchRequest request(std::vector<LaunchCell> cells) {
  LaunchRequest request;
  request.cells = std::move(cells);
  return request;
}

/// A launch in which the cells have these changes.
Launched launched(const std::vector<double>& changes) {
  Launched launched;
  launched.clock = "recorded";
  for (const double change : changes) launched.cells.emplace_back().summary.change = change;
  return launched;
}

std::vector<double> changes(const Launched& launched) {
  std::vector<double> changes;
  for (const LaunchedCell& cell : launched.cells) changes.push_back(cell.summary.change.value());
  return changes;
}

TEST(LaunchRecord, GivesBackWhatALaunchSawOfTheCellsThatAreAskedFor) {
  LaunchRecord record;
  const auto all = request({{workload(16)}, {workload(64)}, {workload(64), own_copy}, {workload(64), own_copy, 0.02}});
  record.add(all, launched({0.01, 0.02, 0.03, 0.04}));
  record.add(all, launched({0.11, 0.12, 0.13, 0.14}));
  ASSERT_EQ(record.size(), 2u);
  EXPECT_THAT(changes(record.draw(all, 0)), testing::ElementsAre(0.01, 0.02, 0.03, 0.04));
  EXPECT_EQ(record.draw(all, 0).clock, "recorded");
  const auto some = request({{workload(64), own_copy, 0.02}, {workload(64)}});
  EXPECT_THAT(changes(record.draw(some, 3)), testing::Pointwise(testing::DoubleEq(), {0.14, 0.12}));
}

TEST(LaunchRecord, WhatIsPlantedIsAFactor) {
  LaunchRecord record;
  record.add(request({{workload(16), LaunchCell::With::candidate, 0.02}, {workload(64)}}), launched({0.03, 0.5}));
  const auto drawn =
      changes(record.draw(request({{workload(16)}, {workload(64), LaunchCell::With::candidate, 0.1}}), 0));
  EXPECT_DOUBLE_EQ(drawn[0], 1.03 / 1.02 - 1);
  EXPECT_DOUBLE_EQ(drawn[1], 1.5 * 1.1 - 1);
}

TEST(LaunchRecord, LaunchesOfSomeCellsAndLostOnesAreNotTaken) {
  LaunchRecord record;
  record.add(request({{workload(16)}, {workload(64)}}), launched({0, 0}));
  record.add(request({{workload(16)}}), launched({0}));
  Launched lost = launched({0, 0});
  lost.lost = "it did not come back";
  record.add(request({{workload(16)}, {workload(64)}}), lost);
  EXPECT_EQ(record.size(), 1u);
}

}  // namespace
}  // namespace aesgate
