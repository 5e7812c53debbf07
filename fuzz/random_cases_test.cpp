#include "fuzz/random_cases.h"

#include <set>

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "fuzz/fit.h"

namespace aesgate {
namespace {

TEST(random_cases, are_valid_and_cover_what_they_are_for) {
  for (const Shape& shape : all_shapes()) {
    std::set<std::size_t> lengths;
    std::size_t in_place = 0, probes = 0, empty = 0, split = 0, against_end = 0;
    for (std::uint64_t number = 0; number < 2000; ++number) {
      const Case c = random_case(42, number, shape);
      const auto valid = c.validate();
      ASSERT_TRUE(valid) << valid.error().message << "\n" << to_text(c);
      ASSERT_EQ(c.shape, shape);
      lengths.insert(c.length);
      in_place += c.placement.in_place;
      split += c.chunks.size() > 1;
      against_end += c.placement.input == Spot{Spot::Edge::end, 0};
      for (const std::size_t chunk : c.chunks) {
        probes += is_probe(shape.mode, chunk);
        empty += chunk == 0;
      }
    }
    for (const std::size_t blocks : {1u, 2u, 3u, 4u, 6u, 8u, 16u, 32u, 64u, 256u}) {
      const std::size_t length = 16 * blocks;
      if (length + 1 > longest_random(shape.mode)) continue;
      EXPECT_TRUE(lengths.contains(length)) << name(shape) << " " << length;
      EXPECT_EQ(lengths.contains(length - 1), !is_block_mode(shape.mode)) << name(shape) << " " << length - 1;
      EXPECT_EQ(lengths.contains(length + 1), !is_block_mode(shape.mode)) << name(shape) << " " << length + 1;
    }
    EXPECT_GT(in_place, 400u);
    EXPECT_GT(split, 800u);
    EXPECT_GT(empty, 200u);
    EXPECT_GT(against_end, 300u);
    EXPECT_EQ(probes > 200, is_block_mode(shape.mode)) << name(shape);
  }
}

TEST(random_cases, the_same_arguments_give_the_same_case) {
  const Shape shape{Mode::cbc, Direction::decrypt, KeySize::bits192};
  const std::string text = to_text(random_case(42, 7, shape));
  EXPECT_EQ(to_text(random_case(42, 7, shape)), text);
  EXPECT_NE(to_text(random_case(42, 8, shape)), text);
  EXPECT_NE(to_text(random_case(43, 7, shape)), text);
  EXPECT_EQ(random_case(42, 7, shape).origin, "seed 42 case 7");
}

TEST(random_cases, are_the_same_on_every_platform) {
  // FNV-1a of the texts: this changes when the generator does, and must not change with compiler or machine.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Shape& shape : all_shapes())
    for (std::uint64_t number = 0; number < 20; ++number)
      for (const char letter : to_text(random_case(1, number, shape)))
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  EXPECT_EQ(hash, 0xa3802aa3cc3bcbc3u) << std::hex << hash;
}

}  // namespace
}  // namespace aesgate
