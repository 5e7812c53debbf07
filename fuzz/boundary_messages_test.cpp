#include "fuzz/boundary_messages.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "oracle/oracle.h"

namespace aesgate {
namespace {

TEST(boundary_messages, a_parts_answer_is_what_the_oracles_say_to_the_part) {
  for (const Shape& shape : all_shapes()) {
    if (shape.key_size != KeySize::bits192) continue;
    for (std::size_t i = 0; i < boundary_message_count; ++i)
      for (const std::size_t block : {0u, 1u, 7u})
        for (const std::size_t length : {0u, 16u, 48u, 97u}) {
          if (!takes_length(shape.mode, length)) continue;
          const auto [c, kept] = boundary_message(shape, static_cast<BoundaryMessage>(i), block, length, Effort::quick);
          ASSERT_TRUE(c.validate());
          const auto asked = ask(c);
          ASSERT_TRUE(kept && asked);
          EXPECT_EQ(kept->output, asked->output) << name(shape) << ' ' << i << ' ' << block << ' ' << length;
        }
  }
}

TEST(boundary_messages, differ) {
  std::set<Bytes> inputs;
  for (const Shape& shape : all_shapes())
    for (const auto message : {BoundaryMessage::random, BoundaryMessage::another_random})
      inputs.insert(boundary_message(shape, message, 0, 64, Effort::quick).c.input);
  EXPECT_EQ(inputs.size(), 2 * shape_count);
}

TEST(boundary_messages, all_values_has_each_byte_at_each_place) {
  const Shape shape{Mode::ecb, Direction::encrypt, KeySize::bits128};
  const Case c = boundary_message(shape, BoundaryMessage::all_values, 0, 256 * 16, Effort::quick).c;
  for (std::size_t place = 0; place < 16; ++place) {
    std::set<std::uint8_t> values;
    for (std::size_t at = place; at < c.input.size(); at += 16) values.insert(c.input[at]);
    EXPECT_EQ(values.size(), 256u) << place;
  }
}

TEST(boundary_messages, parts_begin_wherever_they_fit) {
  EXPECT_EQ(boundary_starts(Mode::cbc, BoundaryMessage::zeros, 4096, Effort::quick), 1 + 128 / 16);
  EXPECT_EQ(boundary_starts(Mode::cfb1, BoundaryMessage::zeros, 1024, Effort::quick), 2u);
}

}  // namespace
}  // namespace aesgate
