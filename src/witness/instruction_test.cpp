#include "witness/instruction.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>

namespace aesgate::witness {
namespace {

#if defined(__x86_64__)

using testing::ElementsAre;
using testing::IsEmpty;

/// The addresses that an instruction touches, with registers that a test chose.
class DecodeTest : public testing::Test {
 protected:
  DecodeTest() {
    registers.general = {0x1000, 3, 0x3000, 0x4000, 0x5000, 0x6000, 0x7000, 0x8000, 0x9000};  // RAX, RCX, …, RDI, R8
    registers.fs_base = 0x10'0000;
    registers.extended = area;
    std::fill_n(area + 512, 8, std::uint8_t{0xff});  // all components in use
  }

  std::vector<std::uint64_t> touched(std::vector<std::uint8_t> code) {
    code.resize(code.size() + 16, 0x90);
    const Instruction decoded = decode({reinterpret_cast<std::uint64_t>(code.data()), registers});
    EXPECT_TRUE(decoded.decoded());
    length = decoded.length;
    return {decoded.touched().begin(), decoded.touched().end()};
  }

  void set_xmm(unsigned number, const std::array<std::uint32_t, 4>& value) {
    std::memcpy(area + 160 + 16 * number, value.data(), 16);
  }

  alignas(64) std::uint8_t area[4096]{};
  Registers registers;
  std::size_t length = 0;
};

TEST_F(DecodeTest, BaseIndexScaleAndDisplacement) {
  EXPECT_THAT(touched({0x8b, 0x44, 0x8a, 0x10}), ElementsAre(0x3000 + 3 * 4 + 0x10));  // MOV EAX, [RDX+RCX*4+16]
  EXPECT_EQ(length, 4u);
  EXPECT_THAT(touched({0x66, 0x41, 0x0f, 0x6f, 0x00}), ElementsAre(0x9000));                    // MOVDQA XMM0, [R8]
  EXPECT_THAT(touched({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}), ElementsAre(0x10'0028));  // MOV RAX, FS:[0x28]
}

TEST_F(DecodeTest, TheStackAndStringsAreOperands) {
  EXPECT_THAT(touched({0xc3}), ElementsAre(0x5000));                            // RET
  EXPECT_THAT(touched({0xa4}), testing::UnorderedElementsAre(0x7000, 0x8000));  // MOVSB: RSI, RDI
  registers.general[3] = 0x4000;
  EXPECT_THAT(touched({0xd7}), ElementsAre(0x4000));  // XLAT: RBX + AL, which is 0
  registers.general[0] = 0x1007;
  EXPECT_THAT(touched({0xd7}), ElementsAre(0x4007));
}

TEST(SameButForPlace, DistancesDoNotCountAndAllElseDoes) {
  const auto same = [](std::vector<std::uint8_t> one, std::vector<std::uint8_t> other) {
    one.resize(one.size() + 16, 0x90);
    other.resize(other.size() + 16, 0x90);
    return same_but_for_place(reinterpret_cast<std::uint64_t>(one.data()),
                              reinterpret_cast<std::uint64_t>(other.data()));
  };
  EXPECT_TRUE(same({0xe8, 1, 2, 3, 4}, {0xe8, 5, 6, 7, 8}));                           // CALL
  EXPECT_TRUE(same({0x75, 0x10}, {0x75, 0x20}));                                       // JNE
  EXPECT_FALSE(same({0x75, 0x10}, {0x74, 0x10}));                                      // JNE, JE
  EXPECT_TRUE(same({0x48, 0x8b, 0x05, 1, 0, 0, 0}, {0x48, 0x8b, 0x05, 9, 0, 0, 0}));   // MOV RAX, [RIP + …]
  EXPECT_FALSE(same({0x48, 0x8b, 0x80, 1, 0, 0, 0}, {0x48, 0x8b, 0x80, 9, 0, 0, 0}));  // MOV RAX, [RAX + …]
  EXPECT_FALSE(same({0xb8, 1, 0, 0, 0}, {0xb8, 2, 0, 0, 0}));                          // MOV EAX, 1; 2
  EXPECT_FALSE(same({0x06}, {0x06}));                                                  // no instruction
}

TEST_F(DecodeTest, WhatOnlyCalculatesTouchesNothing) {
  EXPECT_THAT(touched({0x48, 0x8d, 0x04, 0x8a}), IsEmpty());              // LEA RAX, [RDX+RCX*4]
  EXPECT_THAT(touched({0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}), IsEmpty());  // NOP of six bytes
  EXPECT_THAT(touched({0x48, 0x31, 0xc0}), IsEmpty());                    // XOR RAX, RAX
  EXPECT_THAT(touched({0x0f, 0x18, 0x0a}), ElementsAre(0x3000));          // PREFETCHT0 [RDX] does
}

TEST_F(DecodeTest, ABitTestReachesBeyondItsOperand) {
  registers.general[1] = 77;
  EXPECT_THAT(touched({0x48, 0x0f, 0xa3, 0x0a}), ElementsAre(0x3000 + 9));  // BT [RDX], RCX
  registers.general[1] = static_cast<std::uint64_t>(-1);
  EXPECT_THAT(touched({0x48, 0x0f, 0xa3, 0x0a}), ElementsAre(0x3000 - 1));
}

TEST_F(DecodeTest, AGatherTouchesTheElementsOfItsMask) {
  set_xmm(1, {1, 2, 0xffff'ffff, 4});
  set_xmm(2, {0x8000'0000, 0, 0x8000'0000, 0x8000'0000});
  // VPGATHERDD XMM0, [RDX+XMM1*4], XMM2
  EXPECT_THAT(touched({0xc4, 0xe2, 0x69, 0x90, 0x04, 0x8a}), ElementsAre(0x3004, 0x2ffc, 0x3010));
  // VPGATHERQQ XMM0, [RDX+XMM1*8], XMM2: two indices of 64 bits, and signs of 64-bit elements
  set_xmm(1, {5, 0, 6, 0});
  set_xmm(2, {0, 0x8000'0000, 0, 0});
  EXPECT_THAT(touched({0xc4, 0xe2, 0xe9, 0x91, 0x04, 0xca}), ElementsAre(0x3000 + 5 * 8));
}

TEST_F(DecodeTest, RegistersThatAreNotInUseAreZero) {
  set_xmm(3, {7, 7, 7, 7});
  EXPECT_EQ(registers.vector(3)[0], 7);
  std::fill_n(area + 512, 8, std::uint8_t{0});
  EXPECT_EQ(registers.vector(3)[0], 0);
}

TEST_F(DecodeTest, WhatIsNoInstructionIsNotDecoded) {
  const std::uint8_t code[16] = {0x06};  // PUSH ES, which 64-bit mode does not have
  EXPECT_FALSE(decode({reinterpret_cast<std::uint64_t>(code), registers}).decoded());
}

#endif

}  // namespace
}  // namespace aesgate::witness
