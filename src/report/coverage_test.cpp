#include "report/coverage.h"

#include <set>

#include <gtest/gtest.h>

#include "report/coverage_minimum.h"

namespace aesgate {
namespace {

Case case_of(Mode mode, std::vector<std::size_t> chunks) {
  std::size_t length = 0;
  for (const std::size_t chunk : chunks) length += takes_length(mode, chunk) ? chunk : 0;
  Case c =
      make_case({mode, Direction::encrypt, KeySize::bits128}, Key(), Block{}, Bytes(bytes_for(mode, length)), length);
  c.chunks = std::move(chunks);
  EXPECT_TRUE(c.validate());
  return c;
}

/// The splits of a Case, without those that it does not have.
std::set<Split> splits(Mode mode, std::vector<std::size_t> chunks) {
  const CaseClass of = classify(case_of(mode, std::move(chunks)));
  std::set<Split> splits;
  for (std::size_t i = 0; i < split_count; ++i)
    if (of.has(static_cast<Split>(i))) splits.insert(static_cast<Split>(i));
  return splits;
}

using Splits = std::set<Split>;

TEST(Coverage, ASizeIsCountedInCipherCalls) {
  const auto size = [](Mode mode, std::size_t length) { return size_classes[size_class(mode, length)].name; };
  EXPECT_EQ(size(Mode::cbc, 0), "0");
  EXPECT_EQ(size(Mode::ofb, 15), "<1");
  EXPECT_EQ(size(Mode::ofb, 16), "1");
  EXPECT_EQ(size(Mode::ofb, 31), "1");
  EXPECT_EQ(size(Mode::ecb, 32), "2-3");
  EXPECT_EQ(size(Mode::cfb128, 16 * 256 - 1), "64-255");
  EXPECT_EQ(size(Mode::cfb128, 16 * 256), "256+");
  EXPECT_EQ(size(Mode::cfb1, 1), "1");
  EXPECT_EQ(size(Mode::cfb1, 255), "64-255");
  EXPECT_EQ(size(Mode::cfb8, 8), "8-15");
}

TEST(Coverage, ASplitIsReadOffTheChunks) {
  EXPECT_EQ(splits(Mode::ofb, {}), Splits{Split::one_call});
  EXPECT_EQ(splits(Mode::ofb, {100}), Splits{Split::one_call});
  EXPECT_EQ(splits(Mode::ofb, {16, 100}), Splits{Split::at_edges});
  EXPECT_EQ(splits(Mode::ofb, {20, 4, 16}), Splits{Split::not_filled});
  EXPECT_EQ(splits(Mode::ofb, {20, 12, 16}), Splits{Split::filled});
  EXPECT_EQ(splits(Mode::ofb, {20, 13}), Splits{Split::overfilled});
  EXPECT_EQ(splits(Mode::ofb, {20, 4, 8, 7, 9, 32}), Splits{Split::not_filled});
  EXPECT_EQ(splits(Mode::ofb, {0, 20, 0, 12}), (Splits{Split::filled, Split::empty_calls}));
  EXPECT_EQ(splits(Mode::cbc, {16, 5, 16}), (Splits{Split::at_edges, Split::refused_calls}));
  EXPECT_EQ(splits(Mode::cbc, {5, 16}), (Splits{Split::one_call, Split::refused_calls}));
  EXPECT_EQ(splits(Mode::cfb1, {3, 4}), Splits{Split::not_filled});
  EXPECT_EQ(splits(Mode::cfb1, {3, 5}), Splits{Split::filled});
}

TEST(Coverage, TraitsAreReadOffPlacementAndConditions) {
  Case c = case_of(Mode::cfb128, {33});
  c.placement.input = {Spot::Edge::end, 0};
  c.placement.output = {Spot::Edge::start, 3};
  c.placement.key = {Spot::Edge::end, 16};
  c.placement.context = {Spot::Edge::end, 1};
  c.conditions.memory = Conditions::Memory::restarted;
  c.conditions.timer = true;
  const CaseClass of = classify(c);
  std::set<std::string_view> traits;
  for (std::size_t i = 0; i < trait_count; ++i)
    if (of.has(static_cast<Trait>(i))) traits.insert(name(static_cast<Trait>(i)));
  EXPECT_EQ(traits, (std::set<std::string_view>{"restarted", "under a timer", "input at end", "input unaligned",
                                                "output unaligned", "IV at start"}));
  c.placement.in_place = true;
  EXPECT_TRUE(classify(c).has(Trait::in_place));
  EXPECT_FALSE(classify(c).has(Trait::output_unaligned));
}

TEST(Coverage, AddsUp) {
  const CaseClass of = classify(case_of(Mode::ofb, {20, 13}));
  Coverage one, sum;
  one.add(of);
  sum.add(one);
  sum.add(one);
  EXPECT_EQ(sum.cases(), 2u);
  EXPECT_EQ(sum.cases(of.size), 2u);
  EXPECT_EQ(sum.count(of.size, true, Split::overfilled), 2u);
  EXPECT_EQ(sum.count(of.size, false, Split::overfilled), 0u);
  EXPECT_EQ(sum.count(of.size, Trait::input_at_start), 2u);
}

TEST(CoverageMinimum, NothingFallsShortInEveryClass) {
  for (const Mode mode : all_modes) {
    const CoverageCheck whole = check_coverage(mode, {}, Extent::whole);
    EXPECT_GT(whole.classes, 100u);
    EXPECT_EQ(whole.short_of.size(), whole.classes);
    const CoverageCheck core = check_coverage(mode, {}, Extent::core);
    EXPECT_GT(core.classes, 30u);
    EXPECT_EQ(core.short_of.size(), core.classes);
    for (const Shortfall& shortfall : core.short_of) EXPECT_EQ(shortfall.least, 1u) << shortfall.what;
  }
}

TEST(CoverageMinimum, NamesWhatFellShort) {
  const CoverageCheck check = check_coverage(Mode::ofb, {}, Extent::core);
  std::set<std::string> what;
  for (const Shortfall& shortfall : check.short_of) what.insert(shortfall.what);
  EXPECT_TRUE(what.contains("2-3 blocks and a part, block filled exactly by the next call"));
  EXPECT_TRUE(what.contains("any size, in place"));
  EXPECT_FALSE(what.contains("2-3 blocks, with refused calls"));
}

}  // namespace
}  // namespace aesgate
