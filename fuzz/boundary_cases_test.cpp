#include "fuzz/boundary_cases.h"

#include <map>
#include <set>
#include <tuple>

#include <gmock/gmock.h>

#include "core/case_text.h"
#include "fuzz/fit.h"
#include "report/coverage_minimum.h"

namespace aesgate {
namespace {

/// The axes of a Case at a point, each as a small number: what must meet what.
std::vector<std::size_t> axes_of(const BoundaryPoint& point, const Case& c) {
  const auto offset = [](const Spot& spot, std::size_t size) {
    return (spot.distance + (spot.edge == Spot::Edge::end ? size : 0)) % block_bytes;
  };
  const auto place = [](const Spot& spot) {
    return spot.distance > 0 ? std::size_t{2} : static_cast<std::size_t>(spot.edge);
  };
  const Placement& p = c.placement;
  return {size_class(c.shape.mode, c.length),
          static_cast<std::size_t>(point.way),
          p.in_place,
          static_cast<std::size_t>(point.input),
          p.in_place ? 3 : place(p.output),
          place(p.key),
          place(p.iv),
          p.context.distance % 2 + 2 * static_cast<std::size_t>(p.context.edge),
          static_cast<std::size_t>(c.conditions.memory),
          c.conditions.company,
          offset(p.input, c.input.size()) != 0,
          c.conditions.timer,
          c.conditions.migration,
          std::size_t{c.conditions.threads > 0}};
}
constexpr std::size_t costly_from = 11;  // what is rare
constexpr std::size_t least_size = 3;    // below, there are few ways to do anything

/// How many different tuples of the axes `which` occur.
std::size_t tuples(const std::vector<std::vector<std::size_t>>& rows, std::vector<std::size_t> which) {
  std::set<std::vector<std::size_t>> seen;
  for (const auto& row : rows) {
    std::vector<std::size_t> tuple;
    for (const std::size_t axis : which) tuple.push_back(row[axis]);
    seen.insert(std::move(tuple));
  }
  return seen.size();
}

std::vector<std::vector<std::size_t>> rows_of(const Shape& shape) {
  const BoundaryLattice& lattice = boundary_lattice(shape.mode, Effort::quick);
  std::vector<std::vector<std::size_t>> rows;
  for (std::size_t number = 0; number < lattice.points.size(); ++number) {
    const auto axes = axes_of(lattice.points[number], boundary_case(shape, number, Effort::quick).c);
    if (axes[0] >= least_size && lattice.points[number].way != Cut::pair) rows.push_back(axes);
  }
  return rows;
}

TEST(boundary_cases, are_valid) {
  for (const Effort effort : {Effort::quick, Effort::deep})
    for (const Shape& shape : all_shapes()) {
      if (effort == Effort::deep && shape.key_size != KeySize::bits128) continue;
      const std::size_t count = boundary_lattice(shape.mode, effort).points.size();
      for (std::size_t number = 0; number < count; number += effort == Effort::deep ? 37 : 1) {
        const Case c = boundary_case(shape, number, effort).c;
        const auto valid = c.validate();
        ASSERT_TRUE(valid) << valid.error().message << "\n" << c.origin << ' ' << name(shape);
        ASSERT_EQ(c.shape, shape);
      }
    }
}

TEST(boundary_cases, every_length_is_cut_in_every_way_at_every_place) {
  for (const Mode mode : all_modes) {
    std::map<std::pair<std::size_t, Cut>, std::set<std::pair<bool, BoundaryPoint::Input>>> product;
    for (const BoundaryPoint& point : boundary_lattice(mode, Effort::quick).points)
      if (point.message == BoundaryMessage::random || point.message == BoundaryMessage::another_random)
        product[{point.length, point.way}].emplace(point.in_place, point.input);
    std::vector<std::size_t> lengths;
    for (const std::size_t blocks :
         {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 12u, 15u, 16u, 17u, 24u, 31u, 32u, 33u, 48u, 63u, 64u, 65u, 128u, 256u}) {
      // In CFB1 and CFB8 as many segments, and the bytes and blocks that they make as far as that is not too long.
      const std::size_t edge = edge_units(mode);
      const bool by_units = segment_units(mode) == 1;
      if (by_units) lengths.push_back(blocks);
      if (by_units && blocks * edge > 520) continue;
      lengths.push_back(blocks * edge);
      if (is_block_mode(mode) || (by_units && (blocks & (blocks - 1)) != 0)) continue;
      lengths.insert(lengths.end(), {blocks * edge - 1, blocks * edge + 1});
    }
    for (const std::size_t length : lengths)
      for (const Cut way : cuts_of(mode)) {
        if (!cut(mode, length, way, 0)) continue;
        EXPECT_EQ((product[{length, way}].size()), 6u) << name(mode) << ' ' << length << ' ' << static_cast<int>(way);
      }
  }
}

TEST(boundary_cases, all_pairs_of_axes_occur_and_most_triples_with_size_and_way) {
  for (const Shape& shape : all_shapes()) {
    const auto rows = rows_of(shape);
    std::vector<std::size_t> levels;
    for (std::size_t axis = 0; axis < rows.front().size(); ++axis) levels.push_back(tuples(rows, {axis}));
    EXPECT_THAT(levels, testing::ElementsAre(7, cuts_of(shape.mode).size(), 2, 3, 4, 3, 3, 4, 4, 4, 2, 2, 2, 2));
    // Not every size can be cut in every way.
    const std::size_t cut = tuples(rows, {0, 1});
    EXPECT_GE(cut, 7 * cuts_of(shape.mode).size() - 13);
    for (std::size_t a = 0; a < costly_from; ++a)
      for (std::size_t b = std::max<std::size_t>(a + 1, 2); b < costly_from; ++b) {
        // Against an edge, all whole blocks are aligned. In place there is no output that lies anywhere.
        if (a == 3 && b == 10) continue;
        const std::size_t all = a == 2 && b == 4 ? 4 : levels[a] * levels[b];
        EXPECT_EQ(tuples(rows, {a, b}), all) << name(shape) << ' ' << a << ' ' << b;
      }
    EXPECT_EQ(tuples(rows, {0, 1, 2, 3}), cut * 2 * 3) << name(shape);
    for (std::size_t third = 4; third < costly_from; ++third)
      EXPECT_GE(100 * tuples(rows, {0, 1, third}), 90 * cut * levels[third]) << name(shape) << ' ' << third;
  }
}

TEST(boundary_cases, what_is_costly_meets_all_else_in_some_shape) {
  std::vector<std::vector<std::size_t>> rows;
  for (const Shape& shape : all_shapes())
    for (auto& row : rows_of(shape))
      if (row[costly_from] + row[costly_from + 1] + row[costly_from + 2] > 0) rows.push_back(std::move(row));
  for (std::size_t costly = costly_from; costly < rows.front().size(); ++costly)
    for (std::size_t other = 0; other < costly_from; ++other)
      EXPECT_EQ(tuples(rows, {costly, other}), 2 * tuples(rows, {other})) << costly << ' ' << other;
}

TEST(boundary_cases, every_offset_of_every_buffer_occurs) {
  for (const Shape& shape : all_shapes()) {
    std::map<int, std::set<std::size_t>> offsets;
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t number = 0; number < boundary_lattice(shape.mode, Effort::quick).points.size(); ++number) {
      const Case c = boundary_case(shape, number, Effort::quick).c;
      const auto offset = [](const Spot& spot, std::size_t size) {
        return (spot.edge == Spot::Edge::end ? 4096 - spot.distance - size % 64 : spot.distance) % 64;
      };
      const Placement& p = c.placement;
      offsets[0].insert(offset(p.input, c.input.size()));
      offsets[2].insert(offset(p.key, c.key.bytes().size()));
      offsets[3].insert(offset(p.iv, c.iv.size()));
      if (p.in_place) continue;
      offsets[1].insert(offset(p.output, c.input.size()));
      pairs.emplace(offset(p.input, c.input.size()) % 16, offset(p.output, c.input.size()) % 16);
    }
    for (const auto& [buffer, seen] : offsets) EXPECT_EQ(seen.size(), 64u) << name(shape) << ' ' << buffer;
    // Of the 256 pairs of alignments of input and output nearly all are in each shape, and all are in each mode.
    EXPECT_GE(pairs.size(), 128u) << name(shape);
  }
}

TEST(boundary_cases, carry_all_pairs) {
  for (const Mode mode : {Mode::cfb1, Mode::cfb8, Mode::cfb128, Mode::ofb}) {
    const std::size_t edge = edge_units(mode);
    std::set<std::tuple<std::size_t, std::size_t, bool>> pairs;
    for (const BoundaryPoint& point : boundary_lattice(mode, Effort::quick).points)
      if (point.chunks.size() >= 2) pairs.emplace(point.chunks[0] % edge, point.chunks[1] % edge, point.in_place);
    EXPECT_EQ(pairs.size(), 2 * edge * edge) << name(mode);
  }
}

TEST(boundary_cases, meet_the_stated_minimum_and_it_is_no_less_than_it_could_be) {
  for (const Shape& shape : all_shapes()) {
    const BoundaryLattice& lattice = boundary_lattice(shape.mode, Effort::quick);
    Coverage whole, core;
    for (std::size_t number = 0; number < lattice.points.size(); ++number) {
      const CaseClass of = classify(boundary_case(shape, number, Effort::quick).c);
      whole.add(of);
      if (number < lattice.core) core.add(of);
    }
    const CoverageCheck check = check_coverage(shape.mode, whole, Extent::whole);
    for (const Shortfall& shortfall : check.short_of)
      ADD_FAILURE() << name(shape) << ", " << shortfall.what << ": " << shortfall.ran << " of " << shortfall.least;
    for (const Shortfall& shortfall : check_coverage(shape.mode, core, Extent::core).short_of)
      ADD_FAILURE() << name(shape) << ", core, " << shortfall.what << ": " << shortfall.ran;
    for (std::size_t size = 0; size < size_classes.size(); ++size)
      for (const bool tail : {false, true})
        for (std::size_t i = 0; i < split_count; ++i) {
          const auto split = static_cast<Split>(i);
          const std::uint64_t least = least_cases(shape.mode, size, tail, split, Extent::whole);
          EXPECT_LE(whole.count(size, tail, split) * 8 / 10, least)
              << name(shape) << ", " << size_text(shape.mode, size, tail) << ", " << name(split);
        }
  }
}

/// Every axis that the lattice loses: what must then be missed.
TEST(boundary_cases, a_lost_axis_falls_short) {
  const auto shape = Shape{Mode::cfb128, Direction::decrypt, KeySize::bits256};
  const BoundaryLattice& lattice = boundary_lattice(shape.mode, Effort::quick);
  const auto short_without = [&](const auto& spoil) {
    Coverage coverage;
    for (std::size_t number = 0; number < lattice.points.size(); ++number) {
      Case c = boundary_case(shape, number, Effort::quick).c;
      if (spoil(c)) coverage.add(classify(c));
    }
    return !check_coverage(shape.mode, coverage, Extent::whole).short_of.empty();
  };
  EXPECT_FALSE(short_without([](Case&) { return true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.length != 257; }));  // 16 blocks and a byte
  EXPECT_TRUE(short_without([](Case& c) { return c.chunks.size() != 3; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.chunks = {c.length}, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return std::erase(c.chunks, 0u), true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.placement.in_place = false, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.placement.input = {}, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.placement.output = {}, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.placement.key = {}, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.placement.iv = {}, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.placement.context = {}, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.conditions.memory = {}, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.conditions.company = 0, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.conditions.threads = 0, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.conditions.timer = false, true; }));
  EXPECT_TRUE(short_without([](Case& c) { return c.conditions.migration = false, true; }));
}

TEST(boundary_cases, are_the_same_on_every_platform) {
  // FNV-1a of the texts: this changes when the lattice does, and must not change with compiler or machine.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Shape& shape : all_shapes())
    for (std::size_t number = 0; number < boundary_lattice(shape.mode, Effort::quick).points.size(); number += 211)
      for (const char letter : to_text(boundary_case(shape, number, Effort::quick).c))
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  EXPECT_EQ(hash, 0x07d06ff64fce9ccau) << std::hex << hash;
}

}  // namespace
}  // namespace aesgate
