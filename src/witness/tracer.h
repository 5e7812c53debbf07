#pragma once

#include <map>
#include <optional>
#include <vector>

#include "witness/kernel_traffic.h"
#include "witness/signal_relay.h"
#include "witness/traced_program.h"
#include "witness/traced_start.h"
#include "witness/traced_thread.h"

namespace aesgate::witness {

/// Tracer: a program while it runs: what its threads stop for (tracer.cpp), and what is done at its time
/// (tracer_time.cpp).
class Tracer {
 public:
  using Clock = SignalRelay::Clock;

  Tracer(const TraceOptions& options, TracedRun& run) : options_(options), run_(run), watch_(run.traffic) {}

  /// Starts the program. An Error if there can be no process.
  [[nodiscard]] Result<void> start();
  /// Until it has ended, and all that it left running.
  void run();
  [[nodiscard]] TracedStart& started() { return start_; }
  /// What all threads took that were traced to their end.
  [[nodiscard]] const ThreadTimes& times() const { return times_; }

 private:
  void take_stops();
  /// What it took of the CPU, before it is waited for and gone.
  void add_times_of(pid_t thread);
  void ended(pid_t thread, int status);
  TracedThread& thread_of(pid_t id);
  TracedThread& adopt(pid_t id, pid_t process);
  void stopped(pid_t id, int status);
  static bool is_step(pid_t thread);

  /// A signal is about to be delivered.
  void gets(TracedThread& thread, int signal);

  /// Of its own, for a sample, or because the process is stopped by a signal.
  void came_to_a_stop(TracedThread& thread, int signal);
  void stepped(TracedThread& thread) { step_or_let_go(thread, thread.burst->stepped()); }
  void step_or_let_go(TracedThread& thread, Burst::Next next);
  void end_burst(TracedThread& thread);
  void let_go(TracedThread& thread, int signal = 0);
  void at_call(TracedThread& thread);
  void executed(pid_t id);
  void has_child(TracedThread& parent);

  void look_at_clocks(Clock::time_point now);
  void interrupt_if_due(TracedThread& thread, Clock::time_point now);
  [[nodiscard]] Clock::time_point next_limit() const;
  void keep_limits(Clock::time_point now);
  void end_all();
  void signal_all(int signal);

  /// A shell that runs this process as a job waits for it alone, so it stops when the program has.
  void stop_with_the_program();

  const TraceOptions& options_;
  TracedRun& run_;
  SignalRelay relay_;
  TrafficWatch watch_;
  TracedStart start_;
  std::map<pid_t, TracedThread> threads_;
  std::map<pid_t, TracedProcess> processes_;
  ThreadTimes times_;
  bool executing_ = false, main_ended_ = false, main_stopped_ = false, wants_to_stop_ = false;
  bool said_that_it_waits_ = false;
  unsigned looks_in_vain_ = 0;
  Clock::time_point began_ = Clock::now(), next_look_ = began_, main_ended_at_{};
  std::optional<Clock::time_point> ending_since_;
};

}  // namespace aesgate::witness
