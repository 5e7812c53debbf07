#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/execute.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

Bytes hex(std::string_view digits) { return from_hex(digits).value(); }

/// SP 800-38A F.2.1, with its `expected`.
Case known_case() {
  Block iv;
  std::ranges::copy(hex("000102030405060708090a0b0c0d0e0f"), iv.begin());
  const Bytes plaintext =
      hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
          "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  Case c = make_case({Mode::cbc, Direction::encrypt, KeySize::bits128},
                     Key::from(hex("2b7e151628aed2a6abf7158809cf4f3c")).value(), iv, plaintext, 64);
  c.expected =
      hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
          "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7");
  c.origin = "SP 800-38A F.2.1";
  return c;
}

/// What ask() compares when all is well.
std::array<Outcome, 2> outcomes_of(const Case& c) { return {execute(*oracles()[0], c), execute(*oracles()[1], c)}; }

TEST(AgreedAnswer, IsTheOutputOfBoth) {
  const Case c = known_case();
  const Result<Answer> answer = agreed_answer(c, outcomes_of(c));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->output, *c.expected);
}

TEST(AgreedAnswer, NamesBothValuesWhereTheOraclesDiffer) {
  const Case c = known_case();
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
  const Case c = known_case();
  std::array<Outcome, 2> outcomes = outcomes_of(c);
  outcomes[1].output.pop_back();
  EXPECT_THAT(agreed_answer(c, outcomes).error().message, HasSubstr("64 bytes by oracle-cryptopp, 63 bytes by"));
  outcomes[0].output.pop_back();
  EXPECT_THAT(agreed_answer(c, outcomes).error().message, HasSubstr("the message has 64"));
}

TEST(AgreedAnswer, IsNoneWhenAnOracleFailsOrCannotRun) {
  const Case c = known_case();
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
  Case c = known_case();
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
