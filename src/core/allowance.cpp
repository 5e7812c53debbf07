#include "core/allowance.h"

#include <array>
#include <atomic>

#include <sys/resource.h>

namespace aesgate {
namespace {

std::array<clockid_t, 4> helpers;
std::atomic<std::size_t> helper_count = 0;

Allowance::Duration read_clock(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return {};  // of a helper that has ended
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// How often this thread gave its CPU up by itself.
long waits() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

}  // namespace

Allowance::Duration Allowance::thread_time() {
  Duration time = read_clock(CLOCK_THREAD_CPUTIME_ID);
  for (std::size_t i = 0; i < helper_count; ++i) time += read_clock(helpers[i]);
  return time;
}

void Allowance::count_also(clockid_t helper) {
  if (helper_count == helpers.size()) return;
  helpers[helper_count] = helper;
  ++helper_count;
}

Stopwatch::Stopwatch() : cpu_(Allowance::thread_time()), wall_(std::chrono::steady_clock::now()), waits_(waits()) {}

Allowance::Duration Stopwatch::elapsed() const {
  // Most Cases are over before the clocks of this thread are worth another look.
  const auto wall = std::chrono::steady_clock::now() - wall_;
  if (wall < std::chrono::microseconds(50) && helper_count == 0) return wall;
  if (waits() != waits_) return wall;
  return Allowance::thread_time() - cpu_;
}

}  // namespace aesgate
