#include "witness/call_kind.h"

#include <numeric>

#include <gmock/gmock.h>

namespace aesgate::witness {
namespace {

/// How many calls of each sort there are for a mode and direction.
struct Sorts {
  int is_long = 0, is_second = 0, in_place = 0, misaligned = 0;
};

Sorts sorts_of(const std::vector<std::size_t>& shapes, Mode mode, Direction direction) {
  Sorts sorts;
  const auto calls = further_calls(shapes);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = all_shapes()[shapes[i]];
    if (shape.mode != mode || shape.direction != direction) continue;
    for (const CallKind& kind : calls[i]) {
      sorts.is_long += kind.is_long;
      sorts.is_second += kind.is_second;
      sorts.in_place += kind.in_place;
      sorts.misaligned += kind.misaligned;
    }
  }
  return sorts;
}

TEST(CallKind, EachModeAndDirectionHasEachSort) {
  std::vector<std::size_t> all(shape_count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> one{index({Mode::cfb8, Direction::decrypt, KeySize::bits256})};
  for (const Mode mode : all_modes)
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      const Sorts sorts = sorts_of(all, mode, direction);
      EXPECT_EQ(sorts.is_long, 2);
      EXPECT_EQ(sorts.is_second, 2);
      EXPECT_EQ(sorts.in_place, 1);
      EXPECT_EQ(sorts.misaligned, 1);
    }
  for (const auto& calls : further_calls(all)) EXPECT_EQ(calls.size(), 1u) << "spread over the shapes";
  EXPECT_EQ(further_calls(one)[0].size(), 3u) << "all of them where there is one shape";
  EXPECT_TRUE(further_calls({}).empty());
}

TEST(CallKind, IsSaidInWords) {
  EXPECT_EQ(to_text({.is_long = true}), "long");
  EXPECT_EQ(to_text({.is_second = true, .in_place = true}), "second of its message, in place");
}

}  // namespace
}  // namespace aesgate::witness
