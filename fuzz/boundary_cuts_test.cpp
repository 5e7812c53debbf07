#include "fuzz/boundary_cuts.h"

#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "report/coverage.h"

namespace aesgate {
namespace {

using Chunks = std::vector<std::size_t>;

Case case_of(Mode mode, std::size_t length, Chunks chunks) {
  Case c =
      make_case({mode, Direction::encrypt, KeySize::bits128}, Key(), Block{}, Bytes(bytes_for(mode, length)), length);
  c.chunks = std::move(chunks);
  return c;
}

TEST(boundary_cuts, are_valid_for_every_length_and_turn) {
  for (const Mode mode : all_modes)
    for (const Cut way : cuts_of(mode))
      for (std::size_t length = 0; length < 200; length += is_block_mode(mode) ? 16 : 1)
        for (std::size_t turn = 0; turn < 60; ++turn) {
          auto chunks = cut(mode, length, way, turn);
          if (!chunks) continue;
          const auto valid = case_of(mode, length, *chunks).validate();
          ASSERT_TRUE(valid) << name(mode) << ' ' << length << ' ' << turn << ": " << valid.error().message;
        }
}

TEST(boundary_cuts, are_what_their_names_say) {
  const std::vector<std::pair<Cut, Split>> kinds{{Cut::one_call, Split::one_call},
                                                 {Cut::not_filled, Split::not_filled},
                                                 {Cut::filled, Split::filled},
                                                 {Cut::at_edges, Split::at_edges},
                                                 {Cut::empty, Split::empty_calls}};
  for (const Mode mode : {Mode::cfb1, Mode::cfb8, Mode::cfb128, Mode::ofb})
    for (const auto& [way, split] : kinds)
      for (std::size_t turn = 0; turn < 100; ++turn) {
        const auto chunks = cut(mode, 100, way, turn);
        ASSERT_TRUE(chunks);
        EXPECT_TRUE(classify(case_of(mode, 100, *chunks)).has(split))
            << name(mode) << ' ' << name(split) << ' ' << turn;
      }
  // A third call may end with a block; the second does not.
  for (const Mode mode : {Mode::cfb1, Mode::cfb8, Mode::cfb128, Mode::ofb})
    for (std::size_t turn = 0; turn < 100; ++turn) {
      const Chunks chunks = cut(mode, 100, Cut::overfilled, turn).value();
      EXPECT_TRUE(classify(case_of(mode, chunks[0] + chunks[1], {chunks[0], chunks[1]})).has(Split::overfilled));
    }
  for (std::size_t turn = 0; turn < 100; ++turn)
    EXPECT_TRUE(
        classify(case_of(Mode::cbc, 96, cut(Mode::cbc, 96, Cut::refused, turn).value())).has(Split::refused_calls));
}

TEST(boundary_cuts, visit_every_place_near_the_ends) {
  std::set<std::size_t> first, last;
  for (std::size_t turn = 0; turn < 33; ++turn) {
    first.insert(cut(Mode::ofb, 1000, Cut::near_start, turn)->front());
    last.insert(cut(Mode::ofb, 1000, Cut::near_end, turn)->back());
  }
  EXPECT_EQ(first.size(), 33u);
  EXPECT_EQ(*first.rbegin(), 33u);
  EXPECT_EQ(first, last);
}

TEST(boundary_cuts, end_where_a_block_is_not_filled) {
  // The call that cannot fill the block is the last one: what lies behind its input is not the message's.
  std::set<std::size_t> last;
  for (std::size_t turn = 0; turn < 64; turn += 2) {
    const auto chunks = cut(Mode::cfb128, 47, Cut::not_filled, turn);
    ASSERT_EQ(chunks->size(), 2u);
    last.insert(chunks->back());
  }
  EXPECT_EQ(last.size(), 14u);
}

TEST(boundary_cuts, equal_calls_have_every_size_about_a_number_of_blocks) {
  std::set<std::size_t> sizes;
  for (std::size_t turn = 0; turn < 27; ++turn) sizes.insert(cut(Mode::ofb, 1100, Cut::equal, turn)->front());
  for (const std::size_t blocks : {2u, 3u, 4u, 6u, 8u, 16u, 32u, 64u})
    for (const std::size_t size : {16 * blocks - 1, 16 * blocks, 16 * blocks + 1}) {
      if (1100 / size > 40) continue;
      EXPECT_TRUE(sizes.contains(size)) << size;
    }
}

TEST(boundary_cuts, are_none_where_a_message_is_too_short) {
  EXPECT_FALSE(cut(Mode::ofb, 1, Cut::near_start, 0));
  EXPECT_FALSE(cut(Mode::ofb, 15, Cut::filled, 0));
  EXPECT_FALSE(cut(Mode::ofb, 16, Cut::overfilled, 0));
  EXPECT_FALSE(cut(Mode::ecb, 16, Cut::at_edges, 0));
  EXPECT_EQ(cut(Mode::ofb, 0, Cut::one_call, 0), Chunks{});
}

}  // namespace
}  // namespace aesgate
