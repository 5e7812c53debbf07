#include "core/interruptions.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

namespace aesgate {
namespace {

void work_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

TEST(interruptions, the_signal_comes_while_they_live_and_not_after) {
  unsigned after = 0;
  {
    const Interruptions interruptions(nullptr);
    ASSERT_EQ(interruptions.why_none(), "");
    work_for(std::chrono::milliseconds(20));
    EXPECT_GT(interruptions.count(), 3u);
    after = interruptions.count();
  }
  work_for(std::chrono::milliseconds(5));
  const Interruptions second(nullptr);
  EXPECT_LE(second.count(), 1u);
  EXPECT_GT(after, 3u);
}

TEST(interruptions, values_of_the_interrupted_code_stay) {
  const Interruptions interruptions(nullptr);
  double sum = 0;
  for (int i = 1; interruptions.count() < 20; ++i) {
    volatile double one = 1;
    double value = one;
    for (int j = 0; j < 100; ++j) value *= 1.5;
    for (int j = 0; j < 100; ++j) value /= 1.5;
    sum += value - 1;
  }
  EXPECT_NEAR(sum, 0, 1e-3);
}

TEST(interruptions, a_thread_migrates_and_may_run_anywhere_again) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  {
    Migration migration;
    if (!migration.possible()) GTEST_SKIP() << "this thread may run on one CPU only";
    migration.next();
    const int first = sched_getcpu();
    migration.next();
    EXPECT_NE(sched_getcpu(), first);
    const Interruptions interruptions(&migration);
    int changes = 0;
    for (int last = sched_getcpu(); interruptions.count() < 1000 && changes < 3;)
      if (const int now = sched_getcpu(); now != std::exchange(last, now)) ++changes;
    EXPECT_GE(changes, 1);
  }
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace aesgate
