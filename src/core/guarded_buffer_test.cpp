#include "core/guarded_buffer.h"

#include <gtest/gtest.h>

#include "core/trap.h"

namespace aesgate {
namespace {

TEST(guarded_buffer, its_bytes_can_be_read_and_not_written_in_its_second_mapping) {
  GuardedBuffer buffer;
  const auto placed = buffer.place(100, {Spot::Edge::end, 3});
  placed[5] = 0x77;
  const std::uint8_t* view = buffer.read_only(placed);
  EXPECT_EQ(view[5], 0x77);
  EXPECT_EQ(buffer.read_only(placed.subspan(5))[0], 0x77);
  auto write = [&] { const_cast<volatile std::uint8_t*>(view)[6] = 1; };
  const auto crash = run_trapped(write);
  ASSERT_TRUE(crash);
  EXPECT_EQ(buffer.offset_of(crash->address), 6);
  EXPECT_EQ(placed[6], poison);
}

TEST(guarded_buffer, both_mappings_lie_between_pages_that_may_not_be_touched) {
  [[maybe_unused]] static volatile std::uint8_t sink;
  GuardedBuffer buffer;
  for (const Spot& spot : {Spot{Spot::Edge::start, 0}, Spot{Spot::Edge::end, 0}}) {
    const auto placed = buffer.place(100, spot);
    const std::ptrdiff_t outside = spot.edge == Spot::Edge::start ? -1 : 100;
    for (const std::uint8_t* first : {static_cast<const std::uint8_t*>(placed.data()), buffer.read_only(placed)}) {
      auto read = [&] { sink = first[outside]; };
      const auto crash = run_trapped(read);
      ASSERT_TRUE(crash);
      EXPECT_EQ(buffer.offset_of(crash->address), outside);
    }
  }
}

TEST(guarded_buffer, a_context_lies_where_its_spot_says_aligned) {
  GuardedBuffer buffer;
  for (const std::size_t align : {1u, 8u, 64u, 4096u, 16384u})
    for (const std::size_t size : {1u, 100u, 5000u})
      for (const auto edge : {Spot::Edge::start, Spot::Edge::end}) {
        (void)buffer.place_aligned(size, align, {edge, 1});  // it is large enough from here on, and stays where it is
        const auto near = reinterpret_cast<std::uintptr_t>(buffer.place_aligned(size, align, {edge, 0}).data());
        const auto next = reinterpret_cast<std::uintptr_t>(buffer.place_aligned(size, align, {edge, 1}).data());
        EXPECT_EQ(near % align, 0u);
        EXPECT_EQ(edge == Spot::Edge::start ? next - near : near - next, align);
        // One of the two is aligned to no more than it asks for.
        EXPECT_NE(near % (2 * align) == 0, next % (2 * align) == 0);
      }
}

}  // namespace
}  // namespace aesgate
