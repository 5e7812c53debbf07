#include "oracle/oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/case_text.h"
#include "core/execute.h"
#include "core/session.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

Bytes hex(std::string_view digits) { return from_hex(digits).value(); }

Block block(std::string_view digits) {
  Block result{};
  std::ranges::copy(hex(digits), result.begin());
  return result;
}

std::string line(const Judgement& judgement) {
  return fmt::format("{}: {}", name(judgement.verdict), judgement.reason);
}

struct KnownAnswer {
  const char* section;
  Mode mode;
  KeySize key_size;
  std::size_t length;  // of the message of appendix F, in units
  const char* ciphertext;
};

// SP 800-38A appendix F.
constexpr const char* keys[] = {"2b7e151628aed2a6abf7158809cf4f3c", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
                                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"};
constexpr const char* iv = "000102030405060708090a0b0c0d0e0f";
constexpr const char* message =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
constexpr KnownAnswer known_answers[] = {
    {"F.1.1", Mode::ecb, KeySize::bits128, 64,
     "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
     "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"},
    {"F.2.1", Mode::cbc, KeySize::bits128, 64,
     "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
     "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"},
    {"F.2.5", Mode::cbc, KeySize::bits256, 64,
     "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
     "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"},
    {"F.3.1", Mode::cfb1, KeySize::bits128, 16, "68b3"},
    {"F.3.3", Mode::cfb1, KeySize::bits192, 16, "9359"},
    {"F.3.5", Mode::cfb1, KeySize::bits256, 16, "9029"},
    {"F.3.7", Mode::cfb8, KeySize::bits128, 18, "3b79424c9c0dd436bace9e0ed4586a4f32b9"},
    {"F.3.9", Mode::cfb8, KeySize::bits192, 18, "cda2521ef0a905ca44cd057cbf0d47a0678a"},
    {"F.3.11", Mode::cfb8, KeySize::bits256, 18, "dc1f1a8520a64db55fcc8ac554844e889700"},
    {"F.3.13", Mode::cfb128, KeySize::bits128, 64,
     "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"
     "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"},
    {"F.4.1", Mode::ofb, KeySize::bits128, 64,
     "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825"
     "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"},
    {"F.4.5", Mode::ofb, KeySize::bits256, 64,
     "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d"
     "71ab47a086e86eedf39d1c5bba97c4080126141d67f37be8538f5a8be740e484"},
};

/// The Case of a known answer; its `expected` is what the standard says.
Case case_of(const KnownAnswer& known, Direction direction) {
  const std::size_t key = known.key_size == KeySize::bits128 ? 0 : known.key_size == KeySize::bits192 ? 1 : 2;
  Bytes plaintext = hex(message), ciphertext = hex(known.ciphertext);
  plaintext.resize(ciphertext.size());
  const bool encrypts = direction == Direction::encrypt;
  Case c = make_case({known.mode, direction, known.key_size}, Key::from(hex(keys[key])).value(), block(iv),
                     encrypts ? plaintext : ciphertext, known.length);
  c.expected = encrypts ? ciphertext : plaintext;
  c.origin = fmt::format("SP 800-38A {}", known.section);
  return c;
}

TEST(Oracle, BothGiveTheKnownAnswersOfSp80038a) {
  for (const KnownAnswer& known : known_answers)
    for (const Direction direction : all_directions)
      for (const aesgate_backend* oracle : oracles()) {
        const Case c = case_of(known, direction);
        const Judgement judgement = judge(c, execute(*oracle, c), Answer{*c.expected});
        EXPECT_EQ(judgement.verdict, Verdict::agree) << oracle->name << ", " << c.origin << ": " << line(judgement);
      }
}

TEST(Oracle, AKnownAnswerWithOneBitFlippedFails) {
  for (const aesgate_backend* oracle : oracles()) {
    Case c = case_of(known_answers[1], Direction::encrypt);
    c.expected->back() ^= 1;
    EXPECT_EQ(judge(c, execute(*oracle, c), Answer{*c.expected}).verdict, Verdict::mismatch);
  }
}

TEST(Oracle, BothGiveTheKnownAnswersOfFips197) {
  constexpr const char* ciphertexts[] = {"69c4e0d86a7b0430d8cdb78070b4c55a", "dda97ca4864cdfe06eaf70a0ec0d7191",
                                         "8ea2b7ca516745bfeafc49904b496089"};
  const Bytes plaintext = hex("00112233445566778899aabbccddeeff");
  for (std::size_t i = 0; i < all_key_sizes.size(); ++i) {
    Key key(all_key_sizes[i]);
    std::uint8_t next = 0;
    for (std::uint8_t& byte : key.bytes()) byte = next++;
    const Bytes ciphertext = hex(ciphertexts[i]);
    const Case encrypt = make_case({Mode::ecb, Direction::encrypt, key.size()}, key.copy(), {}, plaintext, 16);
    const Case decrypt = make_case({Mode::ecb, Direction::decrypt, key.size()}, key.copy(), {}, ciphertext, 16);
    for (const aesgate_backend* oracle : oracles()) {
      EXPECT_EQ(execute(*oracle, encrypt).output, ciphertext) << oracle->name;
      EXPECT_EQ(execute(*oracle, decrypt).output, plaintext) << oracle->name;
    }
  }
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
  const Block first = block(iv), second = block("ffeeddccbbaa99887766554433221100");
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
  const Block first = block(iv);
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

/// What ask() compares when all is well.
std::array<Outcome, 2> outcomes_of(const Case& c) { return {execute(*oracles()[0], c), execute(*oracles()[1], c)}; }

TEST(AgreedAnswer, IsTheOutputOfBoth) {
  const Case c = case_of(known_answers[1], Direction::encrypt);
  const Result<Answer> answer = agreed_answer(c, outcomes_of(c));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->output, *c.expected);
}

TEST(AgreedAnswer, NamesBothValuesWhereTheOraclesDiffer) {
  const Case c = case_of(known_answers[1], Direction::encrypt);
  for (const std::size_t which : {0u, 1u}) {
    std::array<Outcome, 2> outcomes = outcomes_of(c);
    outcomes[which].output[17] ^= 0x04;
    const Result<Answer> answer = agreed_answer(c, outcomes);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message,
              fmt::format("the oracles disagree on CBC encrypt 128 (SP 800-38A F.2.1): byte 17 of the output is {} by "
                          "oracle-cryptopp and {} by oracle-fips197",
                          which == 0 ? "82" : "86", which == 1 ? "82" : "86"));
  }
}

TEST(AgreedAnswer, IsNoneWhenOneOutputIsShort) {
  const Case c = case_of(known_answers[1], Direction::encrypt);
  std::array<Outcome, 2> outcomes = outcomes_of(c);
  outcomes[1].output.pop_back();
  EXPECT_THAT(agreed_answer(c, outcomes).error().message, HasSubstr("64 bytes by oracle-cryptopp, 63 bytes by"));
  outcomes[0].output.pop_back();
  EXPECT_THAT(agreed_answer(c, outcomes).error().message, HasSubstr("the message has 64"));
}

TEST(AgreedAnswer, IsNoneWhenAnOracleFailsOrCannotRun) {
  const Case c = case_of(known_answers[1], Direction::encrypt);
  std::array<Outcome, 2> outcomes = outcomes_of(c);
  outcomes[0] = {};
  outcomes[0].status = Status::unavailable;
  outcomes[0].call = "probe()";
  outcomes[0].reason = "why not";
  EXPECT_EQ(agreed_answer(c, outcomes).error().message,
            "oracle-cryptopp has no answer to CBC encrypt 128 (SP 800-38A F.2.1): probe() said unavailable: why not");
  outcomes = outcomes_of(c);
  outcomes[1].damage.push_back({"input", 3, 1, 2, "update() 1, of 64 at 0"});
  EXPECT_THAT(agreed_answer(c, outcomes).error().message, HasSubstr("changed: input at byte 3"));
}

TEST(Ask, TakesTheMessageInOneCallAndLeavesTheVectorOut) {
  Case c = case_of(known_answers[1], Direction::encrypt);
  c.chunks = {16, 48};
  const Bytes right = *std::exchange(c.expected, Bytes(64, 0));
  const Result<Answer> answer = ask(c);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->output, right);
}

TEST(Ask, TakesAnEmptyMessage) {
  for (const Shape& shape : all_shapes()) {
    const Result<Answer> answer = ask(make_case(shape, Key(shape.key_size), {}, {}, 0));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_TRUE(answer->output.empty());
  }
}

}  // namespace
}  // namespace aesgate
