#include "bit_errors.h"

#include <gmock/gmock.h>

// The effects against SP 800-38A appendix D, Tables D.1 and D.2, read row by row for b = 128.

namespace aesgate::props {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bool operator_equal(const BitRange& a, const BitRange& b) { return a.from == b.from && a.to == b.to; }
MATCHER_P2(Bits, from, to, "") {
  return operator_equal(arg, {static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
}

Shape decrypting(Mode mode) { return {mode, Direction::decrypt, KeySize::bits128}; }

TEST(TableD1, Ecb) {  // RBE in P_j
  const Effect effect = effect_of_message_flip(decrypting(Mode::ecb), 512, {130});
  EXPECT_THAT(effect.flipped, IsEmpty());
  EXPECT_THAT(effect.free, ElementsAre(Bits(128, 256)));
  EXPECT_THAT(effect.differing, ElementsAre(Bits(128, 256)));
}

TEST(TableD1, Cbc) {  // RBE in P_j, SBE in P_j+1
  const Effect effect = effect_of_message_flip(decrypting(Mode::cbc), 512, {130, 140});
  EXPECT_THAT(effect.flipped, ElementsAre(258, 268));
  EXPECT_THAT(effect.free, ElementsAre(Bits(128, 256)));
  const Effect last = effect_of_message_flip(decrypting(Mode::cbc), 256, {130});
  EXPECT_THAT(last.flipped, IsEmpty());
}

TEST(TableD1, Cfb) {  // SBE in P_j, RBE in P_j+1 … P_j+b/s
  const Effect one = effect_of_message_flip(decrypting(Mode::cfb1), 512, {130});
  EXPECT_THAT(one.flipped, ElementsAre(130));
  EXPECT_THAT(one.free, ElementsAre(Bits(131, 131 + 128)));
  const Effect eight = effect_of_message_flip(decrypting(Mode::cfb8), 512, {130});
  EXPECT_THAT(eight.free, ElementsAre(Bits(136, 136 + 128)));
  const Effect whole = effect_of_message_flip(decrypting(Mode::cfb128), 512, {130});
  EXPECT_THAT(whole.free, ElementsAre(Bits(256, 384)));
  EXPECT_THAT(whole.differing, ElementsAre(Bits(256, 384)));
  const Effect cut = effect_of_message_flip(decrypting(Mode::cfb128), 300, {130});
  EXPECT_THAT(cut.free, ElementsAre(Bits(256, 300)));
  EXPECT_THAT(cut.differing, IsEmpty());
}

TEST(TableD1, Ofb) {  // SBE in P_j
  const Effect effect = effect_of_message_flip(decrypting(Mode::ofb), 512, {130});
  EXPECT_THAT(effect.flipped, ElementsAre(130));
  EXPECT_THAT(effect.free, IsEmpty());
}

TEST(TableD2, AllModes) {
  const Effect cbc = effect_of_iv_flip(decrypting(Mode::cbc), 512, 20);  // SBE in P_1
  EXPECT_THAT(cbc.flipped, ElementsAre(20));
  EXPECT_THAT(cbc.free, IsEmpty());
  // RBE in P_1 … P_j for some j between 1 and b/s
  EXPECT_THAT(effect_of_iv_flip(decrypting(Mode::cfb1), 512, 0).free, ElementsAre(Bits(0, 1)));
  EXPECT_THAT(effect_of_iv_flip(decrypting(Mode::cfb1), 512, 127).free, ElementsAre(Bits(0, 128)));
  EXPECT_THAT(effect_of_iv_flip(decrypting(Mode::cfb8), 512, 20).free, ElementsAre(Bits(0, 24)));
  EXPECT_THAT(effect_of_iv_flip(decrypting(Mode::cfb128), 512, 20).free, ElementsAre(Bits(0, 128)));
  const Effect ofb = effect_of_iv_flip(decrypting(Mode::ofb), 300, 20);  // RBE in P_1 … P_n
  EXPECT_THAT(ofb.free, ElementsAre(Bits(0, 300)));
  EXPECT_THAT(ofb.differing, ElementsAre(Bits(0, 128), Bits(128, 256)));
}

TEST(Contradiction, SeesAChangeTooFewAndOneTooMany) {
  const Effect effect{{3}, {{8, 24}}, {{8, 24}}};
  const Bytes before{0x00, 0x00, 0x00, 0x00};
  EXPECT_EQ(contradiction(effect, before, Bytes{0x10, 0x01, 0x00, 0x00}, 32), "");
  EXPECT_EQ(contradiction(effect, before, Bytes{0x00, 0x01, 0x00, 0x00}, 32), "bit 3 of the output stays");
  EXPECT_EQ(contradiction(effect, before, Bytes{0x10, 0x01, 0x00, 0x01}, 32), "bit 31 of the output changes");
  EXPECT_EQ(contradiction(effect, before, Bytes{0x10, 0x01, 0x00, 0x01}, 31), "");
  EXPECT_EQ(contradiction(effect, before, Bytes{0x10, 0x00, 0x00, 0x00}, 32), "bits 8 to 23 of the output all stay");
}

}  // namespace
}  // namespace aesgate::props
