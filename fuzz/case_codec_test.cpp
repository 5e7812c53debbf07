#include "fuzz/case_codec.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "fuzz/fit.h"
#include "fuzz/mutate.h"
#include "fuzz/random_cases.h"

namespace aesgate {
namespace {

/// All of a Case that the codec keeps, also what its text form leaves out because the mode does not look at it.
std::string whole_text(const Case& c) {
  std::string text = to_text(c) + to_hex(c.iv);
  for (const Spot* spot : {&c.placement.output, &c.placement.iv})
    text += fmt::format(" {} {}", static_cast<int>(spot->edge), spot->distance);
  return text;
}

void expect_round_trip(const Case& c) {
  ASSERT_TRUE(can_encode(c)) << to_text(c);
  const Bytes bytes = encode(c);
  EXPECT_LE(bytes.size(), max_encoded_bytes);
  EXPECT_EQ(whole_text(decode(bytes)), whole_text(c));
}

TEST(case_codec, any_bytes_are_a_valid_case_and_a_case_is_its_bytes) {
  Prng prng(1);
  std::array<std::size_t, shape_count> seen{};
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes(prng.one_in(4) ? prng.below(64) : prng.below(max_encoded_bytes + 100));
    prng.fill(bytes);
    const Case c = decode(bytes);
    const auto valid = c.validate();
    ASSERT_TRUE(valid) << valid.error().message << "\n" << to_text(c) << to_hex(bytes);
    ++seen[index(c.shape)];
    expect_round_trip(c);
    if (HasFailure()) return;
  }
  for (const Shape& shape : all_shapes()) EXPECT_GT(seen[index(shape)], 0u) << name(shape);
}

TEST(case_codec, no_bytes_and_constant_bytes_are_valid_cases) {
  EXPECT_TRUE(decode({}).validate());
  for (int value = 0; value < 256; ++value)
    for (const std::size_t size : {std::size_t{1}, std::size_t{59}, std::size_t{200}, max_encoded_bytes})
      EXPECT_TRUE(decode(Bytes(size, static_cast<std::uint8_t>(value))).validate()) << value << " " << size;
}

TEST(case_codec, random_cases_within_the_limits_survive) {
  std::size_t encoded = 0;
  for (const Shape& shape : all_shapes())
    for (std::uint64_t number = 0; number < 200; ++number) {
      Case c = random_case(1, number, shape);
      if (!can_encode(c)) continue;
      c.origin.clear();
      expect_round_trip(c);
      ++encoded;
    }
  EXPECT_GT(encoded, 36u * 50u);
}

TEST(case_codec, one_byte_changes_one_field) {
  Case c = make_case({Mode::cfb128, Direction::encrypt, KeySize::bits128}, Key(), Block{}, Bytes(40), 40);
  Bytes bytes = encode(c);
  bytes[2] = 2;
  EXPECT_EQ(decode(bytes).shape.key_size, KeySize::bits256);
  EXPECT_EQ(decode(bytes).input, c.input);
  bytes = encode(c);
  bytes[3] = 1 << 1;
  EXPECT_EQ(decode(bytes).placement.input.edge, Spot::Edge::end);
  bytes = encode(c);
  bytes[59] = 7;  // the first chunk
  EXPECT_EQ(decode(bytes).chunks, (std::vector<std::size_t>{7, 33}));
}

TEST(case_codec, what_is_past_the_limits_cannot_be_encoded) {
  Case c = make_case({Mode::ofb, Direction::encrypt, KeySize::bits128}, Key(), Block{}, Bytes(1025), 1025);
  EXPECT_FALSE(can_encode(c));
  resize(c, 1024);
  EXPECT_TRUE(can_encode(c));
  c.chunks.insert(c.chunks.end(), max_chunks, 0);
  EXPECT_FALSE(can_encode(c));
}

TEST(mutate, a_mutated_case_can_be_encoded) {
  Prng prng(2);
  const MutateBytes mutate_bytes = [&](std::span<std::uint8_t> bytes, std::size_t size) {
    if (!bytes.empty()) prng.fill(bytes.first(prng.below(size + 1)));
    return prng.one_in(2) ? size : prng.below(bytes.size() + 1);
  };
  Case c = decode({});
  Case other = decode({});
  std::array<std::size_t, shape_count> seen{};
  std::size_t in_place = 0, longest = 0, most_chunks = 0, probes = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string before = whole_text(c);
    mutate(c, prng, mutate_bytes);
    ASSERT_TRUE(can_encode(c)) << to_text(c) << "\nmade from\n" << before;
    if (prng.one_in(10)) {
      c = cross(c, other, prng);
      ASSERT_TRUE(can_encode(c)) << to_text(c);
    }
    if (prng.one_in(10)) other = c.copy();
    ++seen[index(c.shape)];
    in_place += c.placement.in_place;
    longest = std::max(longest, c.length);
    most_chunks = std::max(most_chunks, c.chunks.size());
    probes += !c.chunks.empty() && is_probe(c.shape.mode, c.chunks.front());
  }
  for (const Shape& shape : all_shapes()) EXPECT_GT(seen[index(shape)], 0u) << name(shape);
  EXPECT_GT(in_place, 10'000u);
  EXPECT_EQ(longest, 1024u);
  EXPECT_GT(most_chunks, 20u);
  EXPECT_GT(probes, 100u);
}

}  // namespace
}  // namespace aesgate
