#include "perf/gate_matrix.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

bool has(const std::vector<Workload>& workloads, Mode mode, Direction direction, std::size_t bytes, bool in_place) {
  return std::ranges::any_of(workloads, [&](const Workload& w) {
    return w.shape == Shape{mode, direction, KeySize::bits128} && w.bytes == bytes && w.in_place == in_place;
  });
}

TEST(GateMatrix, TheDefaultHasACellForEachFaultThatWasOnceMissed) {
  const auto workloads = gate_workloads({}, 1);
  ASSERT_TRUE(workloads);
  EXPECT_TRUE(has(*workloads, Mode::cfb128, Direction::encrypt, 16384, true)) << "Crypto++ 1088: in place";
  EXPECT_TRUE(has(*workloads, Mode::cbc, Direction::decrypt, 16384, false)) << "Botan cf8f7b5b: parallel decryption";
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::cfb128, Mode::ofb})
    for (const Direction direction : all_directions)
      EXPECT_TRUE(has(*workloads, mode, direction, 16, false)) << "siphon-sip 305, openssl 27513: one block";
}

TEST(GateMatrix, TheDefaultHasEveryShapeOnceAtLeastAndNoCellTwice) {
  const auto workloads = gate_workloads({}, 1);
  ASSERT_TRUE(workloads);
  std::set<std::string> names;
  std::set<std::size_t> shapes;
  for (const Workload& workload : *workloads) {
    EXPECT_TRUE(names.insert(name(workload)).second) << name(workload);
    EXPECT_TRUE(takes_length(workload.shape.mode, workload.bytes)) << name(workload);
    shapes.insert(index(workload.shape));
    if (segment_units(workload.shape.mode) == 1) {
      EXPECT_LE(workload.bytes, 16u);
    }
  }
  EXPECT_EQ(workloads->size(), 88u);
  EXPECT_EQ(shapes.size(), shape_count - 8) << "all but CFB1 and CFB8 with longer keys";
}

TEST(GateMatrix, WhatIsNamedIsComparedInFull) {
  GateMatrix matrix{{Mode::cfb1, Mode::ofb}, {KeySize::bits256}, {1, 48}};
  const auto workloads = gate_workloads(matrix, 1);
  ASSERT_TRUE(workloads);
  EXPECT_EQ(workloads->size(), 2u * 2 * 2 * 2);
  EXPECT_EQ(name(workloads->back()), "OFB decrypt 256, 48 bytes in place");
}

TEST(GateMatrix, RefusesSizesThatAModeDoesNotTake) {
  EXPECT_EQ(gate_workloads({{Mode::cbc}, {}, {24}}, 1).error().message,
            "a size of 24 bytes, but CBC takes multiples of 16");
  EXPECT_FALSE(gate_workloads({{Mode::ofb}, {}, {0}}, 1));
  EXPECT_FALSE(gate_workloads({{Mode::ofb}, {}, {GateMatrix::max_bytes + 1}}, 1));
}

}  // namespace
}  // namespace aesgate
