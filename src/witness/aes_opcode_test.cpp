#include "witness/aes_opcode.h"

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <sys/mman.h>

namespace aesgate::witness {
namespace {

#if defined(__x86_64__)

struct Sample {
  std::vector<std::uint8_t> code;
  AesOpcode opcode;  // without its length, which is that of `code`
  std::string mnemonic, unit;
};

using Op = AesOperation;

// Bytes as GNU as 2.40 writes them, and objdump reads them.
const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {{0x66, 0x0f, 0x38, 0xdc, 0xc1}, {Op::round, false, 1, Encoding::legacy}, "AESENC", "aes.xmm"},
      {{0x66, 0x45, 0x0f, 0x38, 0xdc, 0xc1}, {Op::round, false, 1, Encoding::legacy}, "AESENC", "aes.xmm"},  // xmm8
      {{0x66, 0x0f, 0x38, 0xdc, 0x06}, {Op::round, false, 1, Encoding::legacy}, "AESENC", "aes.xmm"},        // [rsi]
      {{0x66, 0x0f, 0x38, 0xdd, 0xc1}, {Op::last_round, false, 1, Encoding::legacy}, "AESENCLAST", "aes.xmm"},
      {{0x66, 0x0f, 0x38, 0xde, 0xc1}, {Op::round, true, 1, Encoding::legacy}, "AESDEC", "aes.xmm"},
      {{0x66, 0x0f, 0x38, 0xdf, 0xc1}, {Op::last_round, true, 1, Encoding::legacy}, "AESDECLAST", "aes.xmm"},
      {{0x66, 0x0f, 0x38, 0xdb, 0xc1}, {Op::inverse_mix_columns, false, 1, Encoding::legacy}, "AESIMC", "aes.xmm"},
      {{0x66, 0x0f, 0x3a, 0xdf, 0xc1, 0x01},
       {Op::key_assist, false, 1, Encoding::legacy},
       "AESKEYGENASSIST",
       "aes.xmm"},
      {{0xc4, 0xe2, 0x71, 0xdc, 0xc2}, {Op::round, false, 1, Encoding::vex}, "AESENC", "aes.xmm"},
      {{0xc4, 0xe2, 0x75, 0xdd, 0xc2}, {Op::last_round, false, 2, Encoding::vex}, "AESENCLAST", "vaes.ymm"},
      {{0xc4, 0xe3, 0x79, 0xdf, 0xc1, 0x01}, {Op::key_assist, false, 1, Encoding::vex}, "AESKEYGENASSIST", "aes.xmm"},
      {{0x62, 0xf2, 0x75, 0x48, 0xde, 0xc2}, {Op::round, true, 4, Encoding::evex}, "AESDEC", "vaes.zmm"},
      {{0x62, 0xf2, 0x75, 0x48, 0xdf, 0xc2}, {Op::last_round, true, 4, Encoding::evex}, "AESDECLAST", "vaes.zmm"},
      {{0x62, 0xf2, 0x75, 0x28, 0xdc, 0xc2}, {Op::round, false, 2, Encoding::evex}, "AESENC", "vaes.ymm"},
      {{0x62, 0xf2, 0x75, 0x08, 0xdc, 0xc2}, {Op::round, false, 1, Encoding::evex}, "AESENC", "aes.xmm"},
      {{0xf3, 0x0f, 0xa7, 0xc8}, {Op::xcrypt, false, 0, Encoding::legacy}, "XCRYPT", "xcrypt"},  // ECB
      {{0xf3, 0x0f, 0xa7, 0xd0}, {Op::xcrypt, false, 0, Encoding::legacy}, "XCRYPT", "xcrypt"},  // CBC
      {{0xf3, 0x0f, 0xa7, 0xe8}, {Op::xcrypt, false, 0, Encoding::legacy}, "XCRYPT", "xcrypt"},  // OFB
      {{0xf3, 0x0f, 0x38, 0xdc, 0x06}, {Op::key_locker, false, 1, Encoding::legacy}, "AESENCKL", "keylocker"},
      {{0xf3, 0x0f, 0x38, 0xd8, 0x1e}, {Op::key_locker, true, 8, Encoding::legacy}, "AESDECWIDEKL", "keylocker"},
      {{0x66, 0x0f, 0x3a, 0xcf, 0xc1, 0x63},
       {Op::galois_affine_inverse, false, 1, Encoding::legacy},
       "GF2P8AFFINEINVQB",
       "gfni"},
      {{0x62, 0xf3, 0xf5, 0x48, 0xcf, 0xc2, 0x63},
       {Op::galois_affine_inverse, false, 4, Encoding::evex},
       "GF2P8AFFINEINVQB",
       "gfni"},
      {{0xc4, 0xe3, 0xf5, 0xce, 0xc2, 0x00}, {Op::galois_affine, false, 2, Encoding::vex}, "GF2P8AFFINEQB", "gfni"},
      {{0xc4, 0xe2, 0x75, 0xcf, 0xc2}, {Op::galois_multiply, false, 2, Encoding::vex}, "GF2P8MULB", "gfni"}};
  return all;
}

TEST(AesOpcode, KnowsEachOperationEncodingAndWidth) {
  for (const Sample& sample : samples()) {
    AesOpcode expected = sample.opcode;
    expected.length = static_cast<std::uint8_t>(sample.code.size());
    auto code = sample.code;
    code.resize(code.size() + 4, 0x90);
    EXPECT_EQ(aes_opcode(code), expected) << sample.mnemonic;
    EXPECT_EQ(aes_opcode(sample.code), expected) << sample.mnemonic << ", with nothing behind it";
    EXPECT_EQ(mnemonic(aes_opcode(code)), sample.mnemonic);
    EXPECT_EQ(unit_of(aes_opcode(code)), sample.unit);
    EXPECT_EQ(aes_opcode(code).is_aes(), sample.unit != "gfni");
  }
}

TEST(AesOpcode, IsNothingElse) {
  const std::vector<std::vector<std::uint8_t>> others{
      {0x0f, 0x38, 0xdc, 0xc1},              // no prefix, no instruction
      {0x66, 0x0f, 0x38, 0x00, 0xc1},        // PSHUFB
      {0x62, 0xf2, 0x75, 0x48, 0x75, 0xc2},  // VPERMI2B
      {0xf3, 0x0f, 0xa7, 0xc0},              // no XCRYPT
      {0xf3, 0xa4},                          // REP MOVSB
      {0xb8, 0x66, 0x0f, 0x38, 0xdc},        // MOV EAX, the bytes of an AESENC
      {0xc3}};
  for (const auto& code : others) EXPECT_FALSE(aes_opcode(code)) << static_cast<int>(code[0]);
  EXPECT_EQ(aes_opcode(others[1]).length, 5);
  EXPECT_EQ(aes_opcode(others[0]).length, 0);
  EXPECT_EQ(aes_opcode({}).length, 0);
  EXPECT_EQ(mnemonic({}), "");
  EXPECT_EQ(unit_of({}), "");
}

TEST(AesOpcode, ReadsNoFurtherThanTheInstruction) {
  constexpr std::size_t page = 4096;
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const second = static_cast<std::uint8_t*>(memory) + page;
  const std::uint8_t aesenc[5] = {0x66, 0x0f, 0x38, 0xdc, 0xc1};
  std::memcpy(second - 2, aesenc, sizeof aesenc);  // over the border
  EXPECT_EQ(aes_opcode_at(reinterpret_cast<std::uint64_t>(second - 2)).operation, Op::round);
  munmap(second, page);
  std::memcpy(second - 5, aesenc, sizeof aesenc);  // up to the end
  EXPECT_EQ(aes_opcode_at(reinterpret_cast<std::uint64_t>(second - 5)).operation, Op::round);
  munmap(memory, page);
}

#else

TEST(AesOpcode, KnowsNoneOfThisArchitecture) {
  const std::uint8_t aesenc[5] = {0x66, 0x0f, 0x38, 0xdc, 0xc1};
  EXPECT_FALSE(aes_opcode(aesenc));
}

#endif

}  // namespace
}  // namespace aesgate::witness
