#include "core/allowance.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

using std::chrono::milliseconds;

std::vector<std::uint64_t> tests_that_run(Allowance allowance, std::uint64_t tests, milliseconds each) {
  std::vector<std::uint64_t> ran;
  for (std::uint64_t test = 0; test < tests; ++test) {
    if (!allowance.next()) continue;
    ran.push_back(test);
    allowance.spend(each);
  }
  EXPECT_EQ(allowance.asked(), tests);
  EXPECT_EQ(allowance.ran(), ran.size());
  return ran;
}

TEST(Allowance, all_tests_of_a_fast_backend_run) {
  EXPECT_EQ(tests_that_run({milliseconds(100), 20}, 20, milliseconds(5)).size(), 20u);
}

TEST(Allowance, all_tests_run_without_a_limit) {
  EXPECT_EQ(tests_that_run({}, 20, milliseconds(1000)).size(), 20u);
  EXPECT_EQ(tests_that_run({std::nullopt, 20}, 20, milliseconds(1000)).size(), 20u);
}

TEST(Allowance, the_tests_of_a_slow_backend_that_run_are_spread_over_all) {
  EXPECT_EQ(tests_that_run({milliseconds(100), 20}, 20, milliseconds(25)),
            (std::vector<std::uint64_t>{0, 1, 2, 13, 18}));
  EXPECT_EQ(tests_that_run({milliseconds(100), 20}, 20, milliseconds(10)),
            (std::vector<std::uint64_t>{0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18}));
}

TEST(Allowance, the_first_few_tests_run_in_any_case) {
  EXPECT_EQ(tests_that_run({milliseconds(1), 1000}, 1000, milliseconds(1000)), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Stopwatch, what_waits_takes_all_the_time_and_what_works_its_cpu_time) {
  const Stopwatch waiting;
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_GE(waiting.elapsed(), milliseconds(20));
  const Stopwatch working;
  const auto start = Allowance::thread_time();
  while (Allowance::thread_time() - start < milliseconds(5)) {
  }
  EXPECT_GE(working.elapsed(), milliseconds(5));
}

}  // namespace
}  // namespace aesgate
