#include "fuzz/long_cases.h"

#include <gtest/gtest.h>

#include "core/plan.h"

namespace aesgate {
namespace {

TEST(long_cases, are_valid_and_do_not_fit_into_31_and_32_bits) {
  for (const Shape& shape : all_shapes()) {
    const std::vector<Case> cases = long_cases(shape);
    bool past_32 = false, past_31_only = false;
    for (const Case& c : cases) {
      EXPECT_TRUE(c.validate()) << name(shape);
      EXPECT_TRUE(takes_length(shape.mode, static_cast<std::uint32_t>(c.repeated_to)));
      past_32 |= c.repeated_to > 0xffffffffu && static_cast<std::uint32_t>(c.repeated_to) != 0;
      past_31_only |= c.repeated_to > 0x7fffffff && c.repeated_to <= 0xffffffffu;
    }
    const bool segments = segment_units(shape.mode) == 1;
    const bool has_some = shape.key_size == KeySize::bits128 && !(segments && shape.direction == Direction::decrypt);
    EXPECT_EQ(past_32, has_some) << name(shape);
    EXPECT_EQ(past_31_only, has_some && !segments) << name(shape);
  }
}

}  // namespace
}  // namespace aesgate
