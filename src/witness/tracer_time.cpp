#include "witness/tracer.h"

#include <algorithm>
#include <csignal>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ptrace.h>

#include "witness/enough_samples.h"

namespace aesgate::witness {
namespace {

using namespace std::chrono_literals;

/// A thread is sampled again when this many times as long has passed as the last sample held it, so that it loses 9 %
/// at most. The first samples come sooner: many programs are short, and less than `enough_samples` say little.
constexpr int pause_per_hold = 10;
constexpr int first_pause_per_hold = 3;
constexpr std::chrono::nanoseconds least_use = 500us;  // of CPU time, between two samples
/// Who is in the kernel when it is stopped will be the next time, and a stop makes a system call start again, which its
/// other end may see. So each such stop doubles the CPU time until the next.
constexpr std::chrono::nanoseconds most_use = 100ms;

/// Looking at the clocks of threads costs some microseconds each, so it is done less often the longer nothing came of
/// it.
constexpr auto shortest_pause = 500us;
constexpr unsigned looks_per_doubling = 8;
constexpr unsigned most_doublings = 5;  // 16 ms
constexpr int rest_per_look = 50;

}  // namespace

void Tracer::end_burst(TracedThread& thread) {
  if (!thread.burst) return;
  thread.burst->end();
  const int factor = run_.samples.fair_samples() <= enough_samples ? first_pause_per_hold : pause_per_hold;
  thread.rests_until = Clock::now() + thread.burst->took() * factor;
  if (const auto used = thread.clock.read()) thread.used = *used;
  thread.least_use = thread.burst->was_in_call() ? std::min(2 * thread.least_use, most_use) : least_use;
  thread.burst.reset();
  thread.phase = TracedThread::Phase::running;
}

void Tracer::look_at_clocks(Clock::time_point now) {
  ++looks_in_vain_;
  auto first_due = Clock::time_point::max();
  if (run_.why_no_samples.empty() && executing_)
    for (auto& [id, thread] : threads_) {
      interrupt_if_due(thread, now);
      first_due = std::min(first_due, thread.rests_until);
    }
  const auto cost = Clock::now() - now;
  const auto pause = shortest_pause * (1u << std::min(looks_in_vain_ / looks_per_doubling, most_doublings));
  next_look_ = run_.why_no_samples.empty() ? now + std::max<Clock::duration>(pause, cost * rest_per_look) : now + 1h;
  if (first_due != Clock::time_point::max()) next_look_ = std::max(next_look_, first_due);
}

void Tracer::interrupt_if_due(TracedThread& thread, Clock::time_point now) {
  if (thread.phase != TracedThread::Phase::running || thread.in_call || now < thread.rests_until) return;
  const auto used = thread.clock.read();
  // A thread that sleeps is left alone: some system calls would return early.
  if (!used || *used - thread.used < thread.least_use || !is_running(thread.id)) return;
  if (ptrace(PTRACE_INTERRUPT, thread.id, nullptr, nullptr) != 0) return;
  thread.phase = TracedThread::Phase::interrupted;
  looks_in_vain_ = 0;
}

Tracer::Clock::time_point Tracer::next_limit() const {
  auto next = Clock::now() + 1h;
  if (options_.limit && !run_.end.timed_out) next = std::min(next, began_ + *options_.limit);
  if (ending_since_) next = std::min(next, *ending_since_ + options_.grace);
  if (main_ended_ && !said_that_it_waits_ && !ending_since_) next = std::min(next, main_ended_at_ + options_.grace);
  return next;
}

void Tracer::keep_limits(Clock::time_point now) {
  if (options_.limit && !run_.end.timed_out && now >= began_ + *options_.limit) {
    run_.end.timed_out = true;
    end_all();
  }
  if (ending_since_ && now >= *ending_since_ + options_.grace) {
    signal_all(SIGKILL);
    ending_since_ = now;
  }
  if (main_ended_ && !said_that_it_waits_ && now >= main_ended_at_ + options_.grace && !ending_since_) {
    said_that_it_waits_ = true;
    std::set<pid_t> left;
    for (const auto& [id, thread] : threads_) left.insert(thread.process);
    options_.say(fmt::format("the program has ended; waiting for what it left running (process {}): Ctrl-C ends it",
                             fmt::join(left, ", ")));
  }
}

void Tracer::end_all() {
  if (ending_since_) return;
  ending_since_ = Clock::now();
  signal_all(SIGTERM);
  signal_all(SIGCONT);
}

void Tracer::signal_all(int signal) {
  std::set<pid_t> all;
  if (!main_ended_) all.insert(start_.process);
  for (const auto& [id, thread] : threads_) all.insert(thread.process);
  for (const pid_t process : all) kill(process, signal);
}

}  // namespace aesgate::witness
