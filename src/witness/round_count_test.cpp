#include "witness/round_count.h"

#include <vector>

#include <gtest/gtest.h>

namespace aesgate::witness {
namespace {

AesOpcode opcode(AesOperation operation, unsigned lanes) {
  AesOpcode made;
  made.operation = operation;
  made.lanes = static_cast<std::uint8_t>(lanes);
  return made;
}

class RoundCountTest : public testing::Test {
 protected:
  /// `passes` of rounds and last rounds of as many registers, of which the first `missing` instructions are not seen.
  std::vector<Rounds> passes(unsigned times, unsigned rounds, unsigned registers, unsigned lanes, unsigned missing) {
    std::vector<Rounds> found;
    for (unsigned i = 0; i < times * rounds * registers; ++i) {
      const bool is_last = i / registers % rounds == rounds - 1;
      if (i < missing) continue;
      if (const auto one = count.add(opcode(is_last ? AesOperation::last_round : AesOperation::round, lanes)))
        found.push_back(*one);
    }
    return found;
  }

  RoundCount count;
};

TEST_F(RoundCountTest, APassIsWholeBetweenTwoLastRounds) {
  const std::vector<Rounds> two(2, Rounds{10, 1});
  EXPECT_EQ(passes(4, 10, 1, 1, 0), two);  // the first may have begun earlier, the last has not been left
}

TEST_F(RoundCountTest, TheFirstInstructionMayBeAnywhere) {
  for (unsigned missing = 0; missing < 14 * 8; ++missing) {
    count = {};
    const auto found = passes(4, 14, 8, 1, missing);
    ASSERT_FALSE(found.empty()) << missing;
    for (const Rounds& one : found) EXPECT_EQ(one, (Rounds{14, 8})) << missing;
  }
}

TEST_F(RoundCountTest, LanesAreBlocks) {
  EXPECT_EQ(passes(3, 12, 4, 4, 5).at(0), (Rounds{12, 16}));
  EXPECT_EQ((Rounds{12, 16}).key_bits(), 192u);
}

TEST_F(RoundCountTest, WhatIsNoAesIsNoPass) {
  EXPECT_TRUE(passes(5, 1, 1, 1, 0).empty());  // a key schedule, which uses AESENCLAST for SubBytes
  EXPECT_TRUE(passes(5, 11, 1, 1, 0).empty());
}

TEST_F(RoundCountTest, ACipherHasALastRoundForItsRounds) {
  for (const unsigned blocks : {1u, 8u}) {
    for (const unsigned rounds : {10u, 14u}) {
      for (unsigned missing = 0; missing <= (rounds - 5) * blocks; ++missing) {
        count = {};
        (void)passes(1, rounds, blocks, 1, missing);
        EXPECT_TRUE(count.saw_cipher()) << rounds << ' ' << blocks << ' ' << missing;
      }
    }
  }
}

TEST_F(RoundCountTest, HashesAndKeySchedulesAreNoCipher) {
  for (int i = 0; i < 1000; ++i) (void)count.add(opcode(AesOperation::round, 1));
  EXPECT_FALSE(count.saw_cipher());
  (void)count.add(opcode(AesOperation::last_round, 1));  // that ends a hash
  EXPECT_FALSE(count.saw_cipher());
  count = {};
  (void)passes(20, 1, 1, 1, 0);
  EXPECT_FALSE(count.saw_cipher());
  (void)passes(20, 3, 1, 1, 0);
  EXPECT_FALSE(count.saw_cipher());
}

}  // namespace
}  // namespace aesgate::witness
