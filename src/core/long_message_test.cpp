#include "core/long_message.h"

#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

#include "core/judge.h"
#include "core/registry.h"
#include "core/repeated_pages.h"
#include "core/tiny_backend_test.h"

namespace aesgate {
namespace {

constexpr std::size_t two_to_32 = std::size_t{1} << 32;

Case long_case(const Shape& shape, std::size_t repeated_to, bool in_place = false) {
  Case c = make_case(shape, Key(shape.key_size), Block{9}, Bytes(4096), 4096 * 8 / unit_bits(shape.mode));
  std::iota(c.input.begin(), c.input.end(), std::uint8_t{1});
  c.chunks.clear();
  c.repeated_to = repeated_to;
  c.placement.in_place = in_place;
  return c;
}

Judgement run(const aesgate_backend& backend, const Case& c) {
  const auto valid = c.validate();
  EXPECT_TRUE(valid) << valid.error().message;
  return judge(c, execute(backend, c), {});
}

TEST(repeated_pages, hold_the_same_bytes_everywhere_and_end_at_a_page_that_may_not_be_touched) {
  const auto pages = RepeatedPages::map(3 * RepeatedPages::period + 5);
  ASSERT_TRUE(pages);
  pages->data()[7] = 1;
  EXPECT_EQ(pages->data()[7 + RepeatedPages::period], 1);
  EXPECT_EQ(pages->last_period().data() + RepeatedPages::period, pages->data() + 3 * RepeatedPages::period + 5);
  [[maybe_unused]] static volatile std::uint8_t sink;
  auto read = [&] { sink = pages->data()[3 * RepeatedPages::period + 5]; };
  EXPECT_TRUE(run_trapped(read));
}

TEST(long_message, right_backends_agree_in_every_shape) {
  const auto sbox = find_backend("ttable", built_in_backends());
  ASSERT_TRUE(sbox);
  for (const Shape& shape : all_shapes()) {
    if (shape.key_size != KeySize::bits128) continue;
    // Over some short calls and more than a period, in the modes that are not slow.
    const std::size_t length = segment_units(shape.mode) == 1 ? 40'008 : 5'000'016;
    for (const bool in_place : {false, true}) {
      const Judgement j = run(**sbox, long_case(shape, length, in_place));
      EXPECT_EQ(j.verdict, Verdict::agree) << name(shape) << ": " << j.reason;
    }
  }
}

// Moves its data, fast; and takes the length as one of 32 bits.
int update_of_32_bits(void*, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  const std::uint32_t short_length = static_cast<std::uint32_t>(length);
  std::memmove(out, in, short_length);
  return AESGATE_OK;
}

int update_of_64_bits(void*, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  std::memmove(out, in, length);
  return AESGATE_OK;
}

TEST(long_message, a_length_that_is_cut_to_32_bits_is_found) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_of_32_bits>;
  const Shape shape{Mode::ofb, Direction::encrypt, KeySize::bits128};
  const Judgement j = run(backend, long_case(shape, two_to_32 + 16));
  EXPECT_EQ(j.verdict, Verdict::mismatch);
  EXPECT_EQ(j.reason.substr(0, 94),
            "output of one long call (as against short ones) differs after update() 1, of 4294967312 at 0 a");
}

/// A line of /proc/self/smaps_rollup, in KiB.
std::size_t memory_of_this_process(const std::string& which) {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::size_t size = 0;
  for (std::string word; rollup >> word;)
    if (word == which) rollup >> size;
  return size;
}

std::size_t most_memory = 0;

int update_that_looks_at_memory(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  const int status = update_of_64_bits(context, in, out, length);
  if (length > two_to_32 / 4) most_memory = memory_of_this_process("Pss_Shmem:");
  return status;
}

TEST(long_message, needs_little_memory) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_that_looks_at_memory>;
  const Shape shape{Mode::ofb, Direction::encrypt, KeySize::bits128};
  const Judgement j = run(backend, long_case(shape, two_to_32 / 2 + 16));
  EXPECT_EQ(j.verdict, Verdict::agree) << j.reason;
  // The pages that are mapped again and again are counted once, in proportion.
  EXPECT_LT(most_memory, 64u * 1024);
}

TEST(long_message, a_chaining_value_that_counts_in_32_bits_is_found) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = tiny::with_update<update_of_64_bits>;
  static std::uint64_t done = 0;
  backend.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*,
                     const std::uint8_t*) -> int {
    done = 0;
    return AESGATE_OK;
  };
  static constexpr auto update = [](void* context, const std::uint8_t* in, std::uint8_t* out,
                                    std::size_t length) -> int {
    done += static_cast<std::uint16_t>(length / 64);
    return update_of_64_bits(context, in, out, length);
  };
  backend.update_for = [](const aesgate_backend*, const aesgate_shape* s) -> aesgate_update_fn {
    return s->flags == 0 ? aesgate_update_fn{update} : nullptr;
  };
  backend.chaining_value = [](const void*, std::uint8_t* iv) -> int {
    std::memset(iv, 0, 16);
    std::memcpy(iv, &done, sizeof done);
    return AESGATE_OK;
  };
  const Shape shape{Mode::ofb, Direction::encrypt, KeySize::bits128};
  const Judgement j = run(backend, long_case(shape, std::size_t{1} << 23));
  EXPECT_EQ(j.verdict, Verdict::mismatch);
  EXPECT_EQ(j.reason.substr(0, 62), "chaining value of one long call (as against short ones) differ");
}

}  // namespace
}  // namespace aesgate
