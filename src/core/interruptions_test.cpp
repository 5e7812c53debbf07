#include "core/interruptions.h"

#include <atomic>
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
  const auto begin = std::chrono::steady_clock::now();
  const Interruptions second(nullptr);
  const unsigned early = second.count();
  // As many as a busy machine lets come between the two, and not those of the first.
  EXPECT_LE(early, 1 + (std::chrono::steady_clock::now() - begin) / std::chrono::microseconds(10));
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

TEST(interruptions, a_short_call_is_met_when_it_is_aimed_at) {
  const Interruptions interruptions(nullptr);
  // A microsecond or so.
  const auto call = [] {
    volatile int steps = 0;
    while (steps < 1000) steps = steps + 1;
  };
  unsigned met = 0;
  for (int i = 0; i < 400; ++i) {
    Interruptions::aim();
    const unsigned before = interruptions.count();
    call();
    met += interruptions.count() != before;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (interruptions.count() == before && std::chrono::steady_clock::now() < end) continue;
  }
  RecordProperty("met", static_cast<int>(met));
  // By chance, a signal every 31 microseconds meets 4 of 400. A busy machine lets few come on time.
  EXPECT_GE(met, 12u);
}

TEST(interruptions, others_make_a_whole_call_meanwhile) {
  Bystanders others;
  std::atomic<bool> stop{false};
  // Odd while a call is under way.
  std::atomic<unsigned> calls{0};
  std::thread other([&] {
    ++others.at_work;
    while (!stop) {
      ++calls;
      std::this_thread::yield();
      ++calls;
      ++others.calls;
    }
    --others.at_work;
  });
  while (others.at_work == 0) std::this_thread::yield();
  {
    const Interruptions interruptions(nullptr, &others);
    unsigned with_a_whole_call = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    // On a busy machine the other thread does not run at all in most of the times that are waited.
    while (with_a_whole_call < 5 && std::chrono::steady_clock::now() < end) {
      const unsigned signals = interruptions.count(), before = calls;
      while (interruptions.count() == signals && std::chrono::steady_clock::now() < end) continue;
      with_a_whole_call += calls - before >= 3;  // from wherever `before` was, one began and ended
    }
    EXPECT_GE(with_a_whole_call, 5u) << interruptions.count();
  }
  stop = true;
  other.join();
}

TEST(interruptions, others_that_wait_for_the_interrupted_thread_are_not_waited_for_long) {
  Bystanders others;
  others.at_work = 1;
  const Interruptions interruptions(nullptr, &others);
  work_for(std::chrono::milliseconds(30));
  EXPECT_GT(interruptions.count(), 3u);
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
  }
  // Each makes a few moves only, and on a busy machine all of them may come between two looks.
  int changes = 0;
  for (int attempts = 0; changes == 0 && attempts < 20; ++attempts) {
    Migration another;
    int last = sched_getcpu();
    const Interruptions interruptions(&another);
    while (interruptions.count() < 50)
      if (const int now = sched_getcpu(); now != std::exchange(last, now)) ++changes;
  }
  EXPECT_GE(changes, 1);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace aesgate
