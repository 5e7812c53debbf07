#include "perf/stack_place.h"

#include <cstdint>
#include <set>

#include <alloca.h>
#include <gtest/gtest.h>

namespace aesgate {
namespace {

/// Where the stack is within its page, in steps of 64 bytes, seen from a call at `offset` below some more of a stack.
std::uintptr_t place_below(std::size_t depth, std::size_t offset) {
  auto* more = static_cast<std::uint8_t*>(alloca(depth));
  asm volatile("" : : "r"(more) : "memory");
  std::uintptr_t place = 0;
  at_stack_offset(offset, [&] { place = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); });
  return place % 4096 / 64;
}

TEST(StackPlace, IsTheSameWhateverIsAboveIt) {
  std::set<std::uintptr_t> places;
  for (const std::size_t depth : {1u, 100u, 1000u, 2000u, 3001u, 4096u, 10000u})
    places.insert(place_below(depth, 1024));
  EXPECT_EQ(places.size(), 1u);
}

TEST(StackPlace, MovesWithTheOffset) { EXPECT_EQ(place_below(1, 2048), place_below(500, 1024) + 1024 / 64); }

}  // namespace
}  // namespace aesgate
