#include <gmock/gmock.h>

#include "cli/program_test.h"

namespace aesgate {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class Replay : public ProgramTest {};

TEST_F(Replay, AGoodCaseAgrees) {
  write("good.case", appendix_c1("backend = sbox\norigin = FIPS-197 C.1\n", ciphertext));
  const Ran ran = run({"replay", "good.case"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "good.case\n  ECB encrypt 128, 16 bytes in 1 call\n  from FIPS-197 C.1\n  sbox           agree\n");
}

TEST_F(Replay, AWrongExpectedValueFailsWithOffsetAndBothValues) {
  write("bad.case", appendix_c1("backend = sbox\n", "69c4e0d86a7b0430d8cdb78070b4c55b"));
  const Ran ran = run({"replay", "bad.case"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out,
              HasSubstr("sbox           mismatch: output differs from the vector at byte 15: expected 5b, got 5a\n"));
  EXPECT_THAT(ran.out, HasSubstr("    output, byte 15 (0xf): expected 5b, got 5a\n"));
  EXPECT_THAT(ran.out, ContainsRegex("expected  bytes 0..15:  69  c4 .* c5 \\[5b\\]\n"));
  EXPECT_THAT(ran.out, ContainsRegex("got       bytes 0..15:  69  c4 .* c5 \\[5a\\]\n"));
}

TEST_F(Replay, TheOraclesCanBeReplayedToo) {
  for (const char* name : {"oracle-cryptopp", "oracle-fips197", "oracles"}) {
    write("good.case", appendix_c1(std::string("backend = ") + name + '\n', ciphertext));
    EXPECT_EQ(run({"replay", "good.case"}).status, 0);
    write("bad.case", appendix_c1(std::string("backend = ") + name + '\n', "69c4e0d86a7b0430d8cdb78070b4c55b"));
    EXPECT_EQ(run({"replay", "bad.case"}).status, 1);
  }
}

TEST_F(Replay, ACaseWithoutABackendRunsOnAllThatAreAvailable) {
  write("any.case", appendix_c1("", ciphertext));
  const Ran ran = run({"replay", "any.case"}, {"AESGATE_CPU_MASK=aes"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, ContainsRegex("sbox +agree\n"));
  EXPECT_THAT(ran.out, ContainsRegex("ttable +agree\n"));
  const Ran one = run({"replay", "--backend", "ttable", "any.case"});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.out, Not(HasSubstr("sbox")));
}

TEST_F(Replay, AnUnavailableBackendIsStatus3AndAFailureOutranksIt) {
  write("good.case", appendix_c1("backend = aesni\n", ciphertext));
  write("bad.case", appendix_c1("backend = sbox\n", "00000000000000000000000000000000"));
  const Ran unavailable = run({"replay", "good.case"}, {"AESGATE_CPU_MASK=aes"});
  EXPECT_EQ(unavailable.status, 3);
  EXPECT_THAT(unavailable.out, HasSubstr("aesni          unavailable: aes is hidden by --cpu-mask aes\n"));
  EXPECT_EQ(run({"replay", "good.case", "bad.case"}, {"AESGATE_CPU_MASK=aes"}).status, 1);
}

}  // namespace
}  // namespace aesgate
