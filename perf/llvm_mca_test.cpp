#include "perf/llvm_mca.h"

#include <array>
#include <cstdlib>

#include <gmock/gmock.h>

#include "perf/model_call.h"

namespace aesgate {
namespace {

using Instruction = std::span<const std::uint8_t>;
using testing::HasSubstr;

constexpr std::array<std::uint8_t, 5> aesenc{0x66, 0x0f, 0x38, 0xdc, 0xc1};             // %xmm1, %xmm0
constexpr std::array<std::uint8_t, 5> vaesenc_ymm{0xc4, 0xe2, 0x75, 0xdc, 0xc0};        // %ymm0, %ymm1, %ymm0
constexpr std::array<std::uint8_t, 6> vaesenc_zmm{0x62, 0xf2, 0x75, 0x48, 0xdc, 0xc0};  // %zmm0, %zmm1, %zmm0
constexpr std::array<std::uint8_t, 5> gf2p8mulb{0x66, 0x0f, 0x38, 0xcf, 0xc1};          // %xmm1, %xmm0
constexpr std::array<std::uint8_t, 4> endbr64{0xf3, 0x0f, 0x1e, 0xfa};
constexpr std::array<std::uint8_t, 5> call{0xe8, 0x10, 0, 0, 0};
constexpr std::array<std::uint8_t, 1> no_instruction{0x06};  // not in 64-bit mode

TEST(LlvmMca, WhatACpuLacksIsKnown) {
  EXPECT_EQ(lacks_for("znver3", vaesenc_zmm), "AVX-512");
  EXPECT_EQ(lacks_for("znver3", vaesenc_ymm), "");
  EXPECT_EQ(lacks_for("znver2", vaesenc_ymm), "VAES");
  EXPECT_EQ(lacks_for("znver3", gf2p8mulb), "GFNI");
  EXPECT_EQ(lacks_for("znver1", aesenc), "");
  EXPECT_EQ(lacks_for("alderlake", vaesenc_zmm), "AVX-512");
  for (const auto& instruction : {Instruction(aesenc), Instruction(vaesenc_ymm), Instruction(vaesenc_zmm)})
    EXPECT_EQ(lacks_for("znver4", instruction), "");
}

TEST(LlvmMca, WithoutOneTheErrorSaysWhatToInstall) {
  const char* const path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  setenv("PATH", "/nowhere", 1);
  const auto none = LlvmMca::find();
  setenv("PATH", before.c_str(), 1);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no llvm-mca of LLVM 19 or newer"));
  EXPECT_THAT(none.error().message, HasSubstr("llvm-19"));
}

class Modelled : public testing::Test {
 protected:
  void SetUp() override {
    auto found = LlvmMca::find();
    if (!found) GTEST_SKIP() << found.error().message;
    mca.emplace(std::move(*found));
  }
  [[nodiscard]] double cycles(const std::vector<Instruction>& instructions, const std::string& cpu) const {
    const auto assembly = mca->disassemble(instructions);
    EXPECT_TRUE(assembly) << assembly.error().message;
    const auto found = mca->cycles(*assembly, cpu);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(-1);
  }
  std::optional<LlvmMca> mca;
};

TEST_F(Modelled, AChainOfRoundsTakesItsLatency) {
  const std::vector<Instruction> rounds(50, Instruction(aesenc));
  EXPECT_NEAR(cycles(rounds, "znver4"), 50 * 4, 1);
  EXPECT_EQ(cycles(rounds, "znver4"), cycles(rounds, "znver4"));
  EXPECT_NEAR(cycles(rounds, "haswell"), 50 * 7, 1);
}

TEST_F(Modelled, NeitherACallNorItsLandingTakesHundredsOfCycles) {
  EXPECT_LT(cycles({Instruction(call), Instruction(endbr64)}, "znver4"), 3);
}

TEST_F(Modelled, WhatIsNotThereIsAnError) {
  EXPECT_TRUE(mca->check_cpu("sapphirerapids"));
  const auto unknown = mca->check_cpu("z80");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("has no CPU \"z80\""));
  const std::array wrong{Instruction(aesenc), Instruction(no_instruction)};
  EXPECT_FALSE(mca->disassemble(wrong));
}

}  // namespace
}  // namespace aesgate
