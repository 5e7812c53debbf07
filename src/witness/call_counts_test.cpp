#include "witness/call_counts.h"

#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/cpu.h"
#include "witness/single_step.h"

namespace aesgate::witness {
namespace {

using std::chrono::seconds;

#if defined(__x86_64__) && defined(__linux__)

volatile unsigned sink;

class CallCounting : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_single_steps(); !why.empty()) GTEST_SKIP() << why;
  }

  template <typename Function>
  Ending count(CallCounter& counter, const Function& function) {
    const auto observer = [&](const Step& step) { return counter.add(step); };
    const auto between = [&] {
      pause_steps();
      counter.begin();
      function();
      counter.end();
      resume_steps();
    };
    return single_step(between, observer, seconds(20));
  }

  alignas(64) static inline std::uint8_t data[64];
};

TEST_F(CallCounting, CountsByWidthAndTakesTheState) {
  if (!has(Feature::aes)) GTEST_SKIP() << why_not(Feature::aes);
  for (std::size_t i = 0; i < sizeof data; ++i) data[i] = static_cast<std::uint8_t>(i);
  CallCounter counter({1000});
  const auto function = [] {
    asm volatile(
        "movdqa (%0), %%xmm1\n movdqa 16(%0), %%xmm9\n"
        "aesenc %%xmm2, %%xmm1\n aesdec %%xmm2, %%xmm2\n"
        "movdqa (%0), %%xmm1\n"
        "aesenclast %%xmm9, %%xmm1\n"
        "aesdeclast 32(%0), %%xmm9\n"
        "aeskeygenassist $1, %%xmm1, %%xmm3\n"
        :
        : "r"(data)
        : "xmm1", "xmm2", "xmm3", "xmm9", "memory");
  };
  ASSERT_EQ(count(counter, function).how, Ending::How::returned);
  EXPECT_TRUE(counter.saw_the_end());
  const CallCounts& counts = counter.counts();
  EXPECT_EQ(counts.aes_instructions, 5u);
  EXPECT_EQ(counts.round_lanes, (ByWidth{2, 0, 0}));
  EXPECT_EQ(counts.last_lanes, (ByWidth{2, 0, 0}));
  EXPECT_NE(counts.first_aes_address, 0u);
  ASSERT_EQ(counter.last_rounds().size(), 2u);
  EXPECT_EQ(counter.last_rounds()[0].state[0], 0);
  EXPECT_EQ(counter.last_rounds()[0].state[15], 15);
  EXPECT_EQ(counter.last_rounds()[1].state[0], 16) << "of xmm9, which a REX prefix names";
  EXPECT_EQ(counter.last_rounds()[1].width, 0);
}

TEST_F(CallCounting, WiderVectorsHaveMoreLanes) {
  if (!has(Feature::vaes) || !has(Feature::avx512)) GTEST_SKIP() << "this CPU has no VAES over 512 bits";
  for (std::size_t i = 0; i < sizeof data; ++i) data[i] = static_cast<std::uint8_t>(i);
  CallCounter counter({1000});
  const auto function = [] {
    asm volatile(
        "vmovdqu64 (%0), %%zmm17\n vmovdqu (%0), %%ymm10\n"
        "vaesenclast %%zmm1, %%zmm17, %%zmm2\n"
        "vaesdeclast %%ymm1, %%ymm10, %%ymm2\n"
        "vzeroupper\n"
        :
        : "r"(data)
        : "xmm1", "xmm2", "xmm10", "memory");  // no compiler has zmm17 in use here
  };
  ASSERT_EQ(count(counter, function).how, Ending::How::returned);
  EXPECT_EQ(counter.counts().last_lanes, (ByWidth{0, 2, 4}));
  ASSERT_EQ(counter.last_rounds().size(), 6u);
  for (std::size_t lane = 0; lane < 4; ++lane)
    EXPECT_EQ(counter.last_rounds()[lane].state[0], 16 * lane) << "of zmm17, which EVEX names";
  EXPECT_EQ(counter.last_rounds()[5].state[0], 16) << "of ymm10, which VEX names";
  EXPECT_EQ(counter.last_rounds()[3].width, 2);
  EXPECT_EQ(counter.last_rounds()[5].width, 1);
}

TEST_F(CallCounting, CountsSystemCalls) {
  CallCounter counter({100000});
  ASSERT_EQ(count(counter, [] { (void)getppid(); }).how, Ending::How::returned);
  EXPECT_EQ(counter.counts().system_calls, 1u);
  EXPECT_EQ(counter.counts().thread_calls, 0u);
  EXPECT_EQ(counter.counts().aes_instructions, 0u);
}

TEST_F(CallCounting, StopsInTime) {
  CallCounter counter({100});
  const auto endless = [] {
    for (unsigned i = 0;; ++i) sink = i;
  };
  EXPECT_EQ(count(counter, endless).how, Ending::How::stopped);
  EXPECT_EQ(counter.counts().steps, 100u);
  EXPECT_FALSE(counter.saw_the_end());
}

TEST_F(CallCounting, LosesPatience) {
  CallCounter counter({1000, 100});
  const auto function = [] {
    for (unsigned i = 0; i < 1000; ++i) sink = i;
  };
  EXPECT_EQ(count(counter, function).how, Ending::How::stopped);
  EXPECT_EQ(counter.counts().steps, 100u);
  CallCounter other({1000, 100});
  const auto asking = [&] {
    (void)getppid();
    function();
  };
  EXPECT_EQ(count(other, asking).how, Ending::How::stopped);
  EXPECT_EQ(other.counts().steps, 1000u);
}

TEST_F(CallCounting, SeesThatTheStepsWereSwitchedOff) {
  CallCounter counter({1000});
  ASSERT_EQ(count(counter, [] { pause_steps(); }).how, Ending::How::returned);
  EXPECT_FALSE(counter.saw_the_end());
}

#endif

}  // namespace
}  // namespace aesgate::witness
