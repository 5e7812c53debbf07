#include "generators.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "core/case_text.h"

namespace aesgate::props {
namespace {

std::vector<std::string> case_texts(const Shape& shape, std::uint64_t seed) {
  const rc::Gen<Draft> generator = drafts(shape, 0);
  rc::Random random(seed);
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back(to_text(handled_case(generator(random.split()).value())));
  return texts;
}

TEST(Generators, TheSeedDecides) {
  const Shape shape{Mode::cfb8, Direction::encrypt, KeySize::bits256};
  EXPECT_EQ(case_texts(shape, 42), case_texts(shape, 42));
  EXPECT_NE(case_texts(shape, 42), case_texts(shape, 43));
}

class GeneratorTest : public testing::TestWithParam<Mode> {};

TEST_P(GeneratorTest, EveryCaseIsValidAndTheInterestingOnesAreThere) {
  const Mode mode = GetParam();
  const rc::Gen<Draft> generator = drafts({mode, Direction::decrypt, KeySize::bits128}, 0);
  rc::Random random(1);
  std::map<std::string, int> seen;
  for (int i = 0; i < 2000; ++i) {
    const Draft draft = generator(random.split()).value();
    const Case c = handled_case(draft);
    const Result<void> valid = c.validate();
    ASSERT_TRUE(valid) << valid.error().message << "\n" << to_text(c);
    const std::size_t segment = segment_units(mode);
    for (const std::size_t count : {0u, 1u, 2u, 4u, 6u, 8u, 16u, 32u, 64u}) {
      if (c.length == count * segment) ++seen[fmt::format("{} segments", count)];
      if (count > 0 && c.length == count * segment - (is_block_mode(mode) ? 16 : 1)) ++seen["a step less"];
    }
    for (const std::size_t chunk : c.chunks) {
      ++seen[takes_length(mode, chunk) ? "taken" : "probe"];
      if (chunk == 0) ++seen["empty call"];
    }
    if (c.chunks.size() > 3) ++seen["many calls"];
    ++seen[c.placement.in_place ? "in place" : "out of place"];
    ++seen[c.placement.input.edge == Spot::Edge::end && c.placement.input.distance == 0 ? "at the end" : "elsewhere"];
    if (c.placement.output.distance % 16 != 0) ++seen["unaligned"];
    const ByteView key = c.key.bytes();
    if (std::ranges::count(key, 0) == 16) ++seen["key of zeros"];
    if (std::ranges::count(key, 0xff) == 16) ++seen["key of ones"];
  }
  std::vector<std::string> wanted{"a step less", "taken",        "empty call", "many calls",
                                  "in place",    "out of place", "at the end", "unaligned",
                                  "elsewhere",   "key of zeros", "key of ones"};
  for (const int count : {0, 1, 2, 4, 6, 8, 16, 32, 64}) wanted.push_back(fmt::format("{} segments", count));
  if (is_block_mode(mode)) wanted.push_back("probe");
  for (const std::string& what : wanted) EXPECT_GE(seen[what], 10) << what;
}

INSTANTIATE_TEST_SUITE_P(Generators, GeneratorTest, testing::ValuesIn(all_modes),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(Generators, ShrinkingStopsAtTheSmallestCaseThatStillFails) {
  // A fault of the third block and in place: what is left is three blocks in one call, all else plain.
  const rc::Gen<Draft> generator = drafts({Mode::cbc, Direction::encrypt, KeySize::bits128}, 0);
  const auto fails = [](const Draft& draft) { return draft.length >= 48 && draft.placement.in_place; };
  rc::Random random(5);
  for (int i = 0; i < 20; ++i) {
    const auto generated = generator(random.split());
    if (!fails(generated.value())) continue;
    const Draft smallest = rc::shrinkable::findLocalMin(generated, fails).first;
    EXPECT_EQ(smallest.length, 48u);
    EXPECT_TRUE(smallest.steps.empty());
    EXPECT_EQ(smallest.placement, (Placement{.in_place = true, .input = {}, .output = {}, .key = {}, .iv = {}}));
    EXPECT_EQ(smallest.key.kind, Fill::Kind::zeros);
  }
}

TEST(Generators, AShorterFillIsTheFrontOfALongerOne) {
  const Fill fill{Fill::Kind::random, 9};
  const Bytes longer = fill.bytes(100);
  const Bytes shorter = fill.bytes(37);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
  EXPECT_GT(std::set<std::uint8_t>(longer.begin(), longer.end()).size(), 50u);
}

}  // namespace
}  // namespace aesgate::props
