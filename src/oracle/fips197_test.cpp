#include "oracle/fips197.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace aesgate::fips197 {
namespace {

Block block(std::string_view digits) {
  Block result{};
  std::ranges::copy(from_hex(digits).value(), result.begin());
  return result;
}

KeySchedule schedule(std::string_view digits) {
  const Bytes key = from_hex(digits).value();
  return KeyExpansion(key.data(), 8 * key.size());
}

std::string value(const std::vector<RoundValue>& values, unsigned round, std::string_view name) {
  for (const RoundValue& v : values)
    if (v.round == round && v.name == name) return to_hex(v.value);
  return "no such value";
}

struct Example {
  const char* key;
  const char* ciphertext;
};

// Appendix C.1 to C.3; the plaintext is the same in all.
constexpr Example appendix_c[] = {
    {"000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a"},
    {"000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191"},
    {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "8ea2b7ca516745bfeafc49904b496089"},
};
constexpr const char* appendix_c_plaintext = "00112233445566778899aabbccddeeff";

TEST(Fips197, CipherAndInvCipherGiveAppendixC) {
  for (const auto& [key, ciphertext] : appendix_c) {
    const KeySchedule w = schedule(key);
    Block data = block(appendix_c_plaintext);
    Cipher(data.data(), data.data(), w);
    EXPECT_EQ(to_hex(data), ciphertext);
    InvCipher(data.data(), data.data(), w);
    EXPECT_EQ(to_hex(data), appendix_c_plaintext);
  }
}

TEST(Fips197, KeyExpansionGivesTheLastWordsOfAppendixA) {
  const auto last = [](const KeySchedule& s) { return to_hex(s.w[4 * s.Nr + 3]); };
  EXPECT_EQ(last(schedule("2b7e151628aed2a6abf7158809cf4f3c")), "b6630ca6");
  EXPECT_EQ(last(schedule("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b")), "01002202");
  EXPECT_EQ(last(schedule("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")), "706c631e");
}

TEST(Fips197, CipherGoesThroughAppendixB) {
  const auto values =
      trace_Cipher(block("3243f6a8885a308d313198a2e0370734"), schedule("2b7e151628aed2a6abf7158809cf4f3c"));
  EXPECT_EQ(value(values, 0, "k_sch"), "2b7e151628aed2a6abf7158809cf4f3c");
  EXPECT_EQ(value(values, 1, "start"), "193de3bea0f4e22b9ac68d2ae9f84808");
  EXPECT_EQ(value(values, 1, "s_box"), "d42711aee0bf98f1b8b45de51e415230");
  EXPECT_EQ(value(values, 1, "s_row"), "d4bf5d30e0b452aeb84111f11e2798e5");
  EXPECT_EQ(value(values, 1, "m_col"), "046681e5e0cb199a48f8d37a2806264c");
  EXPECT_EQ(value(values, 1, "k_sch"), "a0fafe1788542cb123a339392a6c7605");
  EXPECT_EQ(value(values, 10, "k_sch"), "d014f9a8c9ee2589e13f0cc8b6630ca6");
  EXPECT_EQ(value(values, 10, "output"), "3925841d02dc09fbdc118597196a0b32");
  EXPECT_EQ(value(values, 10, "m_col"), "no such value") << "the last round has no MixColumns";
}

TEST(Fips197, InvCipherGoesThroughAppendixC1) {
  const auto values = trace_InvCipher(block(appendix_c[0].ciphertext), schedule(appendix_c[0].key));
  EXPECT_EQ(value(values, 0, "ik_sch"), "13111d7fe3944a17f307a78b4d2b30c5");
  EXPECT_EQ(value(values, 1, "istart"), "7ad5fda789ef4e272bca100b3d9ff59f");
  EXPECT_EQ(value(values, 1, "is_row"), "7a9f102789d5f50b2beffd9f3dca4ea7");
  EXPECT_EQ(value(values, 1, "is_box"), "bd6e7c3df2b5779e0b61216e8b10b689");
  EXPECT_EQ(value(values, 1, "ik_sch"), "549932d1f08557681093ed9cbe2c974e");
  EXPECT_EQ(value(values, 1, "ik_add"), "e9f74eec023020f61bf2ccf2353c21c7");
  EXPECT_EQ(value(values, 10, "ioutput"), appendix_c_plaintext);
}

TEST(Fips197, TracesAreInTheOrderOfAppendixC) {
  const auto forward = trace_Cipher(block(appendix_c_plaintext), schedule(appendix_c[0].key));
  std::vector<std::string_view> names;
  for (const RoundValue& v : forward) names.push_back(v.name);
  EXPECT_EQ(forward.size(), 2u + 9 * 5 + 5);
  names.resize(8);
  EXPECT_THAT(names, testing::ElementsAre("input", "k_sch", "start", "s_box", "s_row", "m_col", "k_sch", "start"));

  const auto inverse = trace_InvCipher(block(appendix_c[0].ciphertext), schedule(appendix_c[0].key));
  names.clear();
  for (const RoundValue& v : inverse) names.push_back(v.name);
  EXPECT_EQ(inverse.size(), 2u + 9 * 5 + 5);
  names.resize(8);
  EXPECT_THAT(names,
              testing::ElementsAre("iinput", "ik_sch", "istart", "is_row", "is_box", "ik_sch", "ik_add", "istart"));
}

TEST(Fips197, EveryStepHasItsInverse) {
  State state = to_state(block("193de3bea0f4e22b9ac68d2ae9f84808").data());
  const auto hex = [&] {
    Block bytes;
    from_state(state, bytes.data());
    return to_hex(bytes);
  };
  using Step = void (*)(State&);
  constexpr std::pair<Step, Step> steps[] = {
      {SubBytes, InvSubBytes}, {ShiftRows, InvShiftRows}, {MixColumns, InvMixColumns}};
  const std::string before = hex();
  for (const auto& [step, inverse] : steps) {
    step(state);
    EXPECT_NE(hex(), before);
    inverse(state);
    EXPECT_EQ(hex(), before);
  }
}

}  // namespace
}  // namespace aesgate::fips197
