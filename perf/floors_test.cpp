#include "perf/floors.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

const Cpu turin{"AuthenticAMD", 0x1a, 2};

double floor_of(const Cpu& cpu, std::string_view unit, Mode mode, Direction direction, KeySize key_size) {
  const AesUnit* aes = find_aes_unit(cpu);
  return aes == nullptr ? -1 : floor_cycles_per_byte(*aes, unit, {mode, direction, key_size}).value_or(-2);
}

// Worked out by hand: 10, 12 or 14 rounds; 4 cycles each on the chain, or two vectors a cycle.
TEST(Floors, Zen5) {
  EXPECT_DOUBLE_EQ(floor_of(turin, "aes.xmm", Mode::ecb, Direction::encrypt, KeySize::bits128), 0.3125);
  EXPECT_DOUBLE_EQ(floor_of(turin, "vaes.ymm", Mode::cbc, Direction::decrypt, KeySize::bits192), 0.1875);
  EXPECT_DOUBLE_EQ(floor_of(turin, "vaes.zmm", Mode::cfb128, Direction::decrypt, KeySize::bits256), 0.109375);
  EXPECT_DOUBLE_EQ(floor_of(turin, "vaes.zmm", Mode::cbc, Direction::encrypt, KeySize::bits128), 2.5);
  EXPECT_DOUBLE_EQ(floor_of(turin, "aes.xmm", Mode::cfb128, Direction::encrypt, KeySize::bits192), 3);
  EXPECT_DOUBLE_EQ(floor_of(turin, "aes.xmm", Mode::ofb, Direction::decrypt, KeySize::bits256), 3.5);
  EXPECT_DOUBLE_EQ(floor_of(turin, "aes.xmm", Mode::cfb8, Direction::encrypt, KeySize::bits128), 40);
  EXPECT_DOUBLE_EQ(floor_of(turin, "vaes.zmm", Mode::cfb1, Direction::decrypt, KeySize::bits128), 10);
}

TEST(Floors, GoByTheModel) {
  const Cpu genoa{"AuthenticAMD", 0x19, 0x11}, milan{"AuthenticAMD", 0x19, 1}, strix_point{"AuthenticAMD", 0x1a, 0x24};
  const auto zmm = [](const Cpu& cpu) {
    return floor_of(cpu, "vaes.zmm", Mode::ecb, Direction::encrypt, KeySize::bits128);
  };
  EXPECT_DOUBLE_EQ(zmm(turin), 0.078125);
  EXPECT_EQ(zmm(genoa), -2);        // not known
  EXPECT_EQ(zmm(milan), -2);        // has no zmm
  EXPECT_EQ(zmm(strix_point), -2);  // not known
  EXPECT_DOUBLE_EQ(floor_of({"GenuineIntel", 6, 0x8c}, "aes.xmm", Mode::cbc, Direction::encrypt, KeySize::bits128),
                   1.875);
  EXPECT_EQ(find_aes_unit({"AuthenticAMD", 0x1a, 0x50}), nullptr);
  EXPECT_EQ(find_aes_unit({"GenuineIntel", 0x1a, 2}), nullptr);
}

TEST(Floors, AreForAesInstructionsAlone) {
  const AesUnit* aes = find_aes_unit(turin);
  ASSERT_NE(aes, nullptr);
  for (const char* unit : {"gfni", "software", "", "aes"})
    EXPECT_FALSE(floor_cycles_per_byte(*aes, unit, {Mode::ecb, Direction::encrypt, KeySize::bits128})) << unit;
}

TEST(Floors, SaysWhatIsKnownOfTheCpu) {
  EXPECT_EQ(
      floors_source(turin),
      "Zen 5 (AuthenticAMD family 26, model 2): a round of AES takes 4 cycles; in a cycle begin 2 in xmm, 2 in ymm, "
      "2 in zmm");
  EXPECT_EQ(floors_source({"GenuineIntel", 6, 0x8c}),
            "Tiger Lake (GenuineIntel family 6, model 140): a round of AES takes 3 cycles");
  EXPECT_EQ(floors_source({"VIA VIA VIA ", 6, 15}), "unknown for this CPU (VIA VIA VIA  family 6, model 15)");
  EXPECT_EQ(floors_source({}), "unknown on this architecture");
}

}  // namespace
}  // namespace aesgate
