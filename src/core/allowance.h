#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>

namespace aesgate {

/// Allowance: how long a backend may take for all tests of one kind. One that would take longer, such as an emulator
/// or a kernel's driver on short calls, runs as many of them as fit, spread over all; each is the same as ever. So a
/// run stays within its time whatever is in it. Not for two threads at once.
class Allowance {
 public:
  using Duration = std::chrono::nanoseconds;

  /// As long as it takes.
  Allowance() = default;
  /// `total` for `tests` tests; nothing is no limit.
  Allowance(std::optional<Duration> total, std::uint64_t tests) : total_(total), tests_(tests) {}

  /// May the next test run? Not if the backend has taken more than the share of the tests before and of an eighth more.
  /// The first few always may.
  [[nodiscard]] bool next() {
    const std::uint64_t before = asked_++;
    const bool may = !total_ || before < sure || spent_ * tests_ <= *total_ * (before + tests_ / 8);
    if (may) ++ran_;
    return may;
  }

  /// The backend has taken so long for a test: a difference of two thread_time()s.
  void spend(Duration time) { spent_ += time; }

  /// The CPU time of this thread, and that of the helpers. What else the machine does is no reason to run less.
  [[nodiscard]] static Duration thread_time();

  /// From now on the CPU time of a helper counts too: of a process that does what a backend asks for. With several
  /// threads, each is charged for all that the helper did meanwhile. At most four; not while a test runs.
  static void count_also(clockid_t helper);

  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  [[nodiscard]] std::uint64_t ran() const { return ran_; }

  static constexpr std::uint64_t sure = 3;

 private:
  std::optional<Duration> total_;
  std::uint64_t tests_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t ran_ = 0;
  Duration spent_{};
};

/// Stopwatch: what something takes on this thread: its CPU time; or, where it waited for a device or another thread,
/// the time until that was through. A thread that others kept from running did not wait.
class Stopwatch {
 public:
  Stopwatch();
  [[nodiscard]] Allowance::Duration elapsed() const;

 private:
  Allowance::Duration cpu_;
  std::chrono::steady_clock::time_point wall_;
  long waits_;
};

}  // namespace aesgate
