#include "witness/traced_thread.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace aesgate::witness {
namespace {

/// /proc/PID/task/TID/stat, which is of the thread alone, from its third field on: the second, a name, may hold
/// anything.
std::string stat_of(pid_t thread) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/stat", thread));
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == line.npos || name_end + 2 > line.size() ? std::string() : line.substr(name_end + 2);
}

/// utime and stime, fields 14 and 15 (proc_pid_stat(5)), which are in ticks.
std::optional<ThreadTimes> ticks_of(pid_t thread) {
  std::uint64_t user = 0, system = 0;
  if (std::sscanf(stat_of(thread).c_str(), "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64, &user,
                  &system) != 2)
    return std::nullopt;
  static const auto tick = std::chrono::nanoseconds(1'000'000'000 / sysconf(_SC_CLK_TCK));
  return ThreadTimes{(user + system) * tick, system * tick};
}

}  // namespace

ThreadClock::~ThreadClock() {
  if (file_ >= 0) close(file_);
}

std::optional<std::chrono::nanoseconds> ThreadClock::read() {
  if (!std::exchange(opened_, true))
    file_ = open(fmt::format("/proc/{}/schedstat", thread_).c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ >= 0) {
    std::array<char, 128> text{};
    std::uint64_t nanoseconds = 0;
    if (pread(file_, text.data(), text.size() - 1, 0) <= 0 || std::sscanf(text.data(), "%" SCNu64, &nanoseconds) != 1)
      return std::nullopt;
    return std::chrono::nanoseconds(nanoseconds);
  }
  // A kernel without CONFIG_SCHED_INFO counts in ticks.
  const auto ticks = ticks_of(thread_);
  return ticks ? std::optional(ticks->all) : std::nullopt;
}

ThreadTimes times_of(pid_t thread) {
  ThreadTimes times = ticks_of(thread).value_or(ThreadTimes{});
  if (const auto fine = ThreadClock(thread).read()) times.all = *fine;
  return times;
}

bool is_running(pid_t thread) { return stat_of(thread).starts_with('R'); }

pid_t process_of(pid_t thread) {
  std::ifstream status(fmt::format("/proc/{}/status", thread));
  for (std::string line; std::getline(status, line);) {
    int process = 0;
    if (std::sscanf(line.c_str(), "Tgid: %d", &process) == 1) return process;
  }
  return 0;
}

}  // namespace aesgate::witness
