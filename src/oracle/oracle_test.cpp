#include "oracle/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/case_text.h"
#include "core/execute.h"
#include "core/session.h"

namespace aesgate {
namespace {

Block block(std::string_view digits) {
  Block result{};
  std::ranges::copy(from_hex(digits).value(), result.begin());
  return result;
}

std::string line(const Judgement& judgement) {
  return fmt::format("{}: {}", name(judgement.verdict), judgement.reason);
}

/// Cases of one seed: any length to 200 units, any split with empty calls and, in ECB and CBC, calls that must be
/// refused.
class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : random_(seed) {}

  Case next(const Shape& shape) {
    Case c;
    c.shape = shape;
    c.key = Key(shape.key_size);
    fill(c.key.bytes());
    fill(c.iv);
    c.length = below(201);
    if (is_block_mode(shape.mode)) c.length -= c.length % 16;
    c.input.resize(bytes_for(shape.mode, c.length));
    fill(c.input);
    if (c.length % 8 != 0 && shape.mode == Mode::cfb1)
      c.input.back() = static_cast<std::uint8_t>(c.input.back() & (0xff << (8 - c.length % 8)));
    split(c);
    c.placement.in_place = below(2) == 0;
    c.placement.input.distance = static_cast<std::uint16_t>(below(32));
    c.placement.output.distance = static_cast<std::uint16_t>(below(32));
    c.placement.input.edge = below(2) == 0 ? Spot::Edge::start : Spot::Edge::end;
    c.placement.output.edge = below(2) == 0 ? Spot::Edge::start : Spot::Edge::end;
    return c;
  }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  void fill(std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(below(256));
  }

  void split(Case& c) {
    for (std::size_t left = c.length; left > 0;) {
      if (is_block_mode(c.shape.mode) && left > 16 && below(4) == 0) c.chunks.push_back(1 + below(15));
      std::size_t chunk = below(std::min<std::size_t>(left, below(2) == 0 ? 18 : 200) + 1);
      if (is_block_mode(c.shape.mode)) chunk -= chunk % 16;
      c.chunks.push_back(chunk);
      left -= chunk;
    }
  }

  std::mt19937_64 random_;
};

class OracleShape : public testing::TestWithParam<std::size_t> {};

TEST_P(OracleShape, BothAgreeWithThemselvesAndEachOtherHoweverTheMessageIsSplitAndPlaced) {
  const Shape shape = all_shapes()[GetParam()];
  const std::uint64_t seed = 1000 + GetParam();
  RandomCases cases(seed);
  for (int i = 0; i < 60; ++i) {
    const Case c = cases.next(shape);
    ASSERT_TRUE(c.validate()) << c.validate().error().message;
    const Result<Answer> answer = ask(c);
    ASSERT_TRUE(answer) << answer.error().message << ", seed " << seed << ":\n" << to_text(c);
    for (const aesgate_backend* oracle : oracles()) {
      const Outcome outcome = execute(*oracle, c);
      EXPECT_FALSE(outcome.chaining_values.empty());
      const Judgement judgement = judge(c, outcome, *answer);
      ASSERT_EQ(judgement.verdict, Verdict::agree)
          << oracle->name << ": " << line(judgement) << ", seed " << seed << ":\n"
          << to_text(c);
    }
  }
}

TEST_P(OracleShape, BothAgreeOnAMonteCarloLoop) {
  RandomCases cases(2000 + GetParam());
  const Shape shape = all_shapes()[GetParam()];
  Case c = cases.next(shape);
  c.length = segment_units(shape.mode);
  c.input.assign(bytes_for(shape.mode, c.length), 0x80);
  c.chunks.clear();
  c.placement = {};
  c.monte_carlo_steps = 200;
  const Result<Answer> answer = ask(c);
  ASSERT_TRUE(answer) << answer.error().message;
  for (const aesgate_backend* oracle : oracles()) {
    const Judgement judgement = judge(c, execute(*oracle, c), *answer);
    EXPECT_EQ(judgement.verdict, Verdict::agree) << oracle->name << ": " << line(judgement);
  }
}

TEST_P(OracleShape, RestartIsStart) {
  const Shape shape = all_shapes()[GetParam()];
  const Bytes key(key_bytes(shape.key_size), 0x5a), in(48, 0xc3);
  const Block first = block("000102030405060708090a0b0c0d0e0f"), second = block("ffeeddccbbaa99887766554433221100");
  // The first message ends within a block where the mode allows it.
  const std::size_t length = is_block_mode(shape.mode) ? 16 : 21;
  for (const aesgate_backend* oracle : oracles()) {
    Bytes restarted(48), started(48);
    Session session(*oracle, shape);
    ASSERT_EQ(session.start(key.data(), first.data()), Status::ok);
    ASSERT_EQ(session.update(in.data(), restarted.data(), length), Status::ok);
    ASSERT_EQ(session.restart(key.data(), second.data()), Status::ok);
    ASSERT_EQ(session.update(in.data(), restarted.data(), 48), Status::ok);
    ASSERT_EQ(session.start(key.data(), second.data()), Status::ok);
    ASSERT_EQ(session.update(in.data(), started.data(), 48), Status::ok);
    EXPECT_EQ(restarted, started) << oracle->name;
  }
}

TEST_P(OracleShape, FinishWipesTheContext) {
  const Shape shape = all_shapes()[GetParam()];
  const Bytes key(key_bytes(shape.key_size), 0x5a);
  const Block first = block("000102030405060708090a0b0c0d0e0f");
  for (const aesgate_backend* oracle : oracles()) {
    const std::size_t size = Session::context_size(*oracle, shape);
    ASSERT_LE(oracle->context_align, alignof(std::max_align_t));
    std::vector<std::max_align_t> memory(size / sizeof(std::max_align_t) + 1);
    const std::span bytes(reinterpret_cast<std::uint8_t*>(memory.data()), size);
    std::ranges::fill(bytes, std::uint8_t{0xdb});
    const aesgate_shape abi = shape.abi();
    ASSERT_EQ(oracle->start(oracle, bytes.data(), &abi, key.data(), first.data()), AESGATE_OK);
    EXPECT_TRUE(std::ranges::any_of(bytes, [](std::uint8_t byte) { return byte != 0; }));
    oracle->finish(bytes.data());
    EXPECT_TRUE(std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })) << oracle->name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OracleShape, testing::Range<std::size_t>(0, shape_count), [](const auto& shape) {
  std::string text = name(all_shapes()[shape.param]);
  std::ranges::replace(text, ' ', '_');
  return text;
});

TEST(Oracle, NeitherTakesAShapeThatDoesNotExist) {
  constexpr aesgate_shape wrong[] = {{6, 0, 128, 0}, {0, 2, 128, 0}, {0, 0, 127, 0}, {0, 0, 128, 1}};
  for (const aesgate_backend* oracle : oracles())
    for (const aesgate_shape& shape : wrong) EXPECT_EQ(oracle->update_for(oracle, &shape), nullptr) << oracle->name;
}

}  // namespace
}  // namespace aesgate
