#include "perf/instruction_count.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "core/registry.h"
#include "core/tiny_backend_test.h"
#include "perf/count_report.h"
#include "witness/aes_opcode.h"
#include "witness/single_step.h"

namespace aesgate {
namespace {

constexpr Shape ofb{Mode::ofb, Direction::encrypt, KeySize::bits128};

class Counting : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = witness::why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  }
};

#if defined(__x86_64__)

/// Eleven instructions, whatever its arguments: one to clear the result, eight and an AES round, and the return.
__attribute__((naked)) int eleven(void*, const std::uint8_t*, std::uint8_t*, std::size_t) {
  asm("xor %eax, %eax\n"
      "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
      ".byte 0x66, 0x0f, 0x38, 0xdc, 0xc1\n"  // AESENC %xmm1, %xmm0
      "ret\n");
}

aesgate_backend with(aesgate_update_fn (*update_for)(const aesgate_backend*, const aesgate_shape*)) {
  aesgate_backend backend = tiny::right_backend();
  backend.update_for = update_for;
  return backend;
}

TEST_F(Counting, IsOfTheCallAloneFromItsFirstInstructionToItsReturn) {
  const auto aesni = find_backend("aesni");
  if (!aesni || !why_unavailable(**aesni).empty()) GTEST_SKIP() << "no AES instructions here";
  const aesgate_backend backend =
      with([](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return eleven; });
  const CountedCall call = count_instructions(backend, {ofb, 16});
  ASSERT_TRUE(call.counted()) << call.reason;
  EXPECT_EQ(call.instructions, 11u);
  EXPECT_EQ(call.aes_instructions, 1u);
  EXPECT_EQ(call.code().front(), reinterpret_cast<std::uint64_t>(&eleven));
}

TEST_F(Counting, IsTheSameWheneverItIsDone) {
  for (const char* name : {"sbox", "openssl"}) {
    const auto backend = find_backend(name);
    ASSERT_TRUE(backend) << backend.error().message;
    const CountedCall first = count_instructions(**backend, {ofb, 64});
    ASSERT_TRUE(first.counted()) << first.reason;
    const CountedCall second = count_instructions(**backend, {ofb, 64});
    EXPECT_GT(first.instructions, 64u);
    EXPECT_EQ(first.code(), second.code()) << name;
    EXPECT_EQ(first.aes_instructions, second.aes_instructions);
  }
}

TEST_F(Counting, SeesEveryRound) {
  const auto aesni = find_backend("aesni");
  ASSERT_TRUE(aesni);
  if (!why_unavailable(**aesni).empty()) GTEST_SKIP() << "no AES instructions here";
  for (const KeySize key_size : all_key_sizes) {
    const CountedCall call = count_instructions(**aesni, {{Mode::cbc, Direction::encrypt, key_size}, 512});
    ASSERT_TRUE(call.counted()) << call.reason;
    EXPECT_EQ(call.aes_instructions, 512 / 16 * (bits(key_size) / 32 + 6));  // FIPS 197, section 5: Nr = Nk + 6
  }
}

/// What is the same for each call is what the count is of: here it is not, and says so.
int by_the_clock(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  for (std::uint64_t steps = __builtin_ia32_rdtsc() % 1021; steps != 0; --steps) asm volatile("" : "+r"(steps));
  return tiny::update(context, in, out, length);
}

TEST_F(Counting, OfACallThatTakesAnotherWayEachTimeGivesNone) {
  const aesgate_backend backend =
      with([](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return by_the_clock; });
  // Two readings may lead the same way, once in a thousand; five times in a row they do not.
  for (int attempt = 0; attempt < 5; ++attempt) {
    const CountedCall call = count_instructions(backend, {ofb, 16});
    if (call.counted()) continue;
    EXPECT_EQ(call.verdict, Verdict::unproven);
    EXPECT_NE(call.reason.find("for the same call again"), std::string::npos) << call.reason;
    return;
  }
  FAIL() << "a call that goes by the clock was counted";
}

TEST_F(Counting, StopsAtItsLimit) {
  const CountedCall call = count_instructions(tiny::right_backend(), {ofb, 4096}, {.most_instructions = 1000});
  EXPECT_EQ(call.verdict, Verdict::declined);
  EXPECT_EQ(call.reason, "more than 1000 instructions");
}

int only_while_warm(void*, const std::uint8_t*, std::uint8_t*, std::size_t) {
  static int calls = 0;
  if (++calls > 3) std::abort();
  return AESGATE_OK;
}

TEST_F(Counting, OfACallThatCrashesIsTheBackendsFailure) {
  const aesgate_backend backend =
      with([](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return only_while_warm; });
  const CountedCall call = count_instructions(backend, {ofb, 16});
  EXPECT_EQ(call.verdict, Verdict::crashed);
  EXPECT_EQ(call.reason, "single-stepped: its process ended by SIGABRT");
}

TEST_F(Counting, OfWhatSaysThatItFailedIsItsFailure) {
  aesgate_backend backend = tiny::right_backend();
  backend.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*,
                     const std::uint8_t*) -> int { return AESGATE_FAILED; };
  const CountedCall call = count_instructions(backend, {ofb, 16});
  EXPECT_EQ(call.verdict, Verdict::failed);
  EXPECT_EQ(call.reason, "start() said: failed");
}

#endif

CountResult cell(const char* backend, std::size_t bytes, std::size_t instructions, std::size_t aes) {
  CountResult result;
  result.backend = backend;
  result.shape = ofb;
  result.bytes = bytes;
  result.verdict = Verdict::agree;
  result.instructions = instructions;
  result.aes_instructions = aes;
  return result;
}

TEST(CountLine, WhatAByteTakesInBulkIsBetweenTheTwoLargest) {
  CountReport report;
  report.results = {cell("a", 16, 100, 10), cell("a", 512, 1000, 320), cell("a", 1024, 1800, 640), cell("b", 16, 7, 0)};
  const auto lines = lines_of(report);
  ASSERT_EQ(lines.size(), 2u);
  const auto slope = lines[0].slope();
  ASSERT_TRUE(slope);
  EXPECT_DOUBLE_EQ(slope->instructions, 800.0 / 512);
  EXPECT_DOUBLE_EQ(slope->aes_instructions, 320.0 / 512);
  EXPECT_FALSE(lines[1].slope());
}

TEST(CountLine, WhatWasNotCountedHasNoPartInIt) {
  CountReport report;
  report.results = {cell("a", 16, 100, 10), cell("a", 64, 196, 40), cell("a", 256, 0, 0)};
  report.results[2].verdict = Verdict::declined;
  report.results[2].reason = "more than 5 instructions";
  const auto slope = lines_of(report)[0].slope();
  ASSERT_TRUE(slope);
  EXPECT_DOUBLE_EQ(slope->instructions, 2.0);
  const std::string table = to_table(report);
  EXPECT_NE(table.find("a                100 (10)  196 (40)      -  2.000 (0.625)"), std::string::npos) << table;
  EXPECT_NE(table.find("- a: declined: more than 5 instructions"), std::string::npos) << table;
  EXPECT_EQ(exit_status(report), 0);
}

}  // namespace
}  // namespace aesgate
