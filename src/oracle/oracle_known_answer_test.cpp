#include <gtest/gtest.h>

#include <algorithm>

#include "core/execute.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

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

}  // namespace
}  // namespace aesgate
