#include "witness/interrupts.h"

#include <gmock/gmock.h>

namespace aesgate::witness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* before =
    "           CPU0       CPU1\n"
    " 24:         12          3   GICv2 105 Level     1710000.jr caam-jr0\n"
    " 25:        100        200   GICv2  32 Level     eth0\n"
    "NMI:          0          0   Non-maskable interrupts\n"
    "ERR:          0\n";
constexpr const char* after =
    "           CPU0       CPU1\n"
    " 24:         20          4   GICv2 105 Level     1710000.jr caam-jr0\n"
    " 25:        900        300   GICv2  32 Level     eth0\n"
    "NMI:          5          0   Non-maskable interrupts\n"
    "ERR:          0\n";

TEST(Interrupts, AreThoseOfAllCpus) {
  const Interrupts parsed = parse_interrupts(before);
  EXPECT_EQ(parsed.at("caam-jr0"), 15u);
  EXPECT_EQ(parsed.at("eth0"), 300u);
  EXPECT_EQ(parsed.count("CPU1"), 0u);
}

TEST(Interrupts, CountIfTheyAreOfCryptography) {
  EXPECT_THAT(interrupts_of_cryptography(parse_interrupts(before), parse_interrupts(after)),
              ElementsAre("caam-jr0: 9"));
  EXPECT_THAT(interrupts_of_cryptography(parse_interrupts(before), parse_interrupts(before)), IsEmpty());
}

}  // namespace
}  // namespace aesgate::witness
