#include "witness/traced_program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "witness/burst.h"
#include "witness/enough_samples.h"
#include "witness/signal_relay.h"
#include "witness/traced_call.h"
#include "witness/traced_thread.h"

namespace aesgate::witness {
namespace {

using Clock = SignalRelay::Clock;
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

constexpr std::size_t most_commands = 256;

constexpr int event_stop = 128;  // ptrace(2), PTRACE_EVENT_STOP

long request(int what, pid_t thread, std::uintptr_t data = 0) {
  return ptrace(static_cast<__ptrace_request>(what), thread, nullptr, reinterpret_cast<void*>(data));
}

bool is_stop_signal(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

std::vector<std::string> command_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", process));
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

class Tracer {
 public:
  Tracer(const TraceOptions& options, TracedRun& run) : options_(options), run_(run), watch_(run.traffic) {}

  Result<void> start() {
    auto started =
        start_traced(options_.arguments, relay_.previous_mask(), options_.default_signals, !options_.every_call);
    if (!started) return tl::unexpected(started.error());
    start_ = *started;
    run_.traced = start_.traced;
    run_.watch = start_.watch;
    (start_.traced ? run_.why_every_call : run_.why_not_traced) = start_.why_not;
    run_.why_no_samples = start_.traced ? why_no_samples() : start_.why_not;
    run_.processes = run_.threads = 1;
    if (start_.traced) {
      threads_.try_emplace(start_.process, start_.process, start_.process);
      processes_[start_.process].every_call = start_.watch == Watch::every_call;
    }
    return {};
  }

  void run() {
    while (!main_ended_ || !threads_.empty()) {
      take_stops();
      for (const int signal : relay_.due())
        if (!main_ended_) kill(start_.process, signal);
      if (main_ended_ && threads_.empty()) return;
      const auto now = Clock::now();
      if (now >= next_look_) look_at_clocks(now);
      keep_limits(now);
      const auto came = relay_.wait(std::min(next_look_, next_limit()));
      if (came.is_stop) wants_to_stop_ = true;
      if (main_ended_ && came.signal != 0 && !came.is_stop) end_all();
      stop_with_the_program();
    }
  }

  TracedStart& started() { return start_; }

 private:
  void take_stops() {
    int status = 0;
    for (pid_t thread = 0; (thread = waitpid(-1, &status, __WALL | WNOHANG)) > 0;) {
      if (WIFSTOPPED(status))
        stopped(thread, status);
      else
        ended(thread, status);
    }
  }

  void ended(pid_t thread, int status) {
    const auto found = threads_.find(thread);
    if (found != threads_.end()) {
      const pid_t process = found->second.process;
      threads_.erase(found);
      if (std::none_of(threads_.begin(), threads_.end(),
                       [&](const auto& other) { return other.second.process == process; }))
        processes_.erase(process);
    }
    if (thread != start_.process) return;
    main_ended_ = true;
    main_ended_at_ = Clock::now();
    run_.end.how = WIFSIGNALED(status) ? ProgramEnd::How::signalled : ProgramEnd::How::exited;
    run_.end.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

  TracedThread& thread_of(pid_t id) {
    const auto found = threads_.find(id);
    if (found != threads_.end()) return found->second;
    // Its first stop can come before its parent's, which says who it is.
    return adopt(id, process_of(id));
  }

  TracedThread& adopt(pid_t id, pid_t process) {
    const auto [added, is_new] = threads_.try_emplace(id, id, process);
    if (is_new) {
      next_look_ = std::min(next_look_, Clock::now() + shortest_pause);
      ++run_.threads;
      if (processes_.try_emplace(process).second) ++run_.processes;
      processes_[process].every_call |= start_.watch == Watch::every_call;
    }
    return added->second;
  }

  void stopped(pid_t id, int status) {
    TracedThread& thread = thread_of(id);
    const int signal = WSTOPSIG(status), event = status >> 16;
    switch (event) {
      case 0: break;
      case event_stop: return came_to_a_stop(thread, signal);
      case PTRACE_EVENT_SECCOMP: return at_call(thread);
      case PTRACE_EVENT_EXEC: return executed(id);
      case PTRACE_EVENT_FORK:
      case PTRACE_EVENT_VFORK:
      case PTRACE_EVENT_CLONE: has_child(thread); break;
      default: break;
    }
    if (event != 0) return let_go(thread);
    if (signal == (SIGTRAP | 0x80)) return at_call(thread);
    if (signal == SIGTRAP && thread.phase == TracedThread::Phase::stepping && is_step(id)) return stepped(thread);
    gets(thread, signal);
  }

  static bool is_step(pid_t thread) {
    siginfo_t info{};
    return ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) == 0 && info.si_code == TRAP_TRACE;
  }

  /// A signal is about to be delivered.
  void gets(TracedThread& thread, int signal) {
    siginfo_t info{};
    if (thread.process == start_.process && ptrace(PTRACE_GETSIGINFO, thread.id, nullptr, &info) == 0)
      relay_.program_gets(signal, info.si_pid);
    let_go(thread, signal);
  }

  /// Of its own, for a sample, or because the process is stopped by a signal.
  void came_to_a_stop(TracedThread& thread, int signal) {
    if (is_stop_signal(signal)) {
      end_burst(thread);
      if (thread.process == start_.process) main_stopped_ = true;
      request(PTRACE_LISTEN, thread.id);
      return;
    }
    if (thread.process == start_.process) main_stopped_ = false;
    if (thread.phase != TracedThread::Phase::interrupted) return let_go(thread);
    thread.burst.emplace(thread.process, thread.id, processes_[thread.process].maps, *run_.objects, run_.samples);
    thread.phase = TracedThread::Phase::stepping;
    step_or_let_go(thread, thread.burst->begin());
  }

  void stepped(TracedThread& thread) { step_or_let_go(thread, thread.burst->stepped()); }

  void step_or_let_go(TracedThread& thread, Burst::Next next) {
    if (next == Burst::Next::let_go) return let_go(thread);
    request(PTRACE_SINGLESTEP, thread.id);
  }

  void end_burst(TracedThread& thread) {
    if (!thread.burst) return;
    thread.burst->end();
    const int factor = run_.samples.fair_samples() <= enough_samples ? first_pause_per_hold : pause_per_hold;
    thread.rests_until = Clock::now() + thread.burst->took() * factor;
    if (const auto used = thread.clock.read()) thread.used = *used;
    thread.least_use = thread.burst->was_in_call() ? std::min(2 * thread.least_use, most_use) : least_use;
    thread.burst.reset();
    thread.phase = TracedThread::Phase::running;
  }

  void let_go(TracedThread& thread, int signal = 0) {
    end_burst(thread);
    const bool stops_at_calls = thread.in_call || processes_[thread.process].every_call;
    request(stops_at_calls ? PTRACE_SYSCALL : PTRACE_CONT, thread.id, static_cast<std::uintptr_t>(signal));
  }

  void at_call(TracedThread& thread) {
    TracedProcess& process = processes_[thread.process];
    const auto call = read_call(thread.id);
    if (!call) return let_go(thread);
    ++run_.traffic.stops;
    if (call->at == TracedCall::At::entry) {
      // Where it stops at each call and at those of the filter, both tell of the same entry.
      if (!thread.in_call && watch_.on_entry(thread.process, *call, process.files, thread.text)) thread.entry = *call;
      thread.in_call = true;
      if (!thread.entry && !process.every_call) thread.in_call = false;
    } else {
      thread.in_call = false;
      if (const auto entry = std::exchange(thread.entry, std::nullopt)) {
        const bool had_any = process.files.any();
        const std::uint64_t listeners = run_.traffic.listeners;
        watch_.on_exit(*entry, thread.text, call->result, process.files);
        // From here on it is a program whose calls are what is asked about; or one that has others answer its calls,
        // which a filter like ours no longer sees.
        if ((!had_any && process.files.any()) || listeners != run_.traffic.listeners) process.every_call = true;
      }
    }
    let_go(thread);
  }

  void executed(pid_t id) {
    // The other threads are gone, and the one that executed has the process's number now, whichever it was.
    std::erase_if(threads_, [&](const auto& other) { return other.second.process == id; });
    TracedThread& thread = threads_.try_emplace(id, id, id).first->second;
    TracedProcess& process = processes_[id];
    process.maps.forget();
    thread.in_call = process.every_call;  // it is still in execve()
    executing_ = true;
    run_.calls_seen = tells_of_calls(id);
    const std::vector<std::string> command = command_of(id);
    if (run_.commands.size() < most_commands) run_.commands.push_back(command);
    struct stat file {};
    const std::string link = fmt::format("/proc/{}/exe", id);
    if (!start_.keeps_privileges && stat(link.c_str(), &file) == 0 && (file.st_mode & S_ISUID) != 0 &&
        file.st_uid != geteuid() && !command.empty())
      run_.unprivileged.insert(command[0]);
    let_go(thread);
  }

  void has_child(TracedThread& parent) {
    unsigned long number = 0;
    if (ptrace(PTRACE_GETEVENTMSG, parent.id, nullptr, &number) != 0) return;
    const auto id = static_cast<pid_t>(number);
    const pid_t process = process_of(id);
    if (process == 0) return;
    adopt(id, process);
    if (process == parent.process) return;
    TracedProcess& child = processes_[process];
    child.files = processes_[parent.process].files;
    child.every_call = processes_[parent.process].every_call;
  }

  void look_at_clocks(Clock::time_point now) {
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

  void interrupt_if_due(TracedThread& thread, Clock::time_point now) {
    if (thread.phase != TracedThread::Phase::running || thread.in_call || now < thread.rests_until) return;
    const auto used = thread.clock.read();
    // A thread that sleeps is left alone: some system calls would return early.
    if (!used || *used - thread.used < thread.least_use || !is_running(thread.id)) return;
    if (request(PTRACE_INTERRUPT, thread.id) != 0) return;
    thread.phase = TracedThread::Phase::interrupted;
    looks_in_vain_ = 0;
  }

  [[nodiscard]] Clock::time_point next_limit() const {
    auto next = Clock::now() + 1h;
    if (options_.limit && !run_.end.timed_out) next = std::min(next, began_ + *options_.limit);
    if (ending_since_) next = std::min(next, *ending_since_ + options_.grace);
    if (main_ended_ && !said_that_it_waits_ && !ending_since_) next = std::min(next, main_ended_at_ + options_.grace);
    return next;
  }

  void keep_limits(Clock::time_point now) {
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

  void end_all() {
    if (ending_since_) return;
    ending_since_ = Clock::now();
    signal_all(SIGTERM);
    signal_all(SIGCONT);
  }

  void signal_all(int signal) {
    std::set<pid_t> all;
    if (!main_ended_) all.insert(start_.process);
    for (const auto& [id, thread] : threads_) all.insert(thread.process);
    for (const pid_t process : all) kill(process, signal);
  }

  /// A shell that runs this process as a job waits for it alone, so it stops when the program has.
  void stop_with_the_program() {
    if (!wants_to_stop_ || (run_.traced && !main_stopped_)) return;
    wants_to_stop_ = main_stopped_ = false;
    raise(SIGSTOP);
  }

  const TraceOptions& options_;
  TracedRun& run_;
  SignalRelay relay_;
  TrafficWatch watch_;
  TracedStart start_;
  std::map<pid_t, TracedThread> threads_;
  std::map<pid_t, TracedProcess> processes_;
  bool executing_ = false, main_ended_ = false, main_stopped_ = false, wants_to_stop_ = false;
  bool said_that_it_waits_ = false;
  unsigned looks_in_vain_ = 0;
  Clock::time_point began_ = Clock::now(), next_look_ = began_, main_ended_at_{};
  std::optional<Clock::time_point> ending_since_;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

int ProgramEnd::status() const {
  if (timed_out) return 124;
  switch (how) {
    case How::exited: return number;
    case How::signalled: return 128 + number;
    case How::not_executed: return number == ENOENT ? 127 : 126;
  }
  return number;
}

Result<TracedRun> trace_program(const TraceOptions& options) {
  TracedRun run;
  run.arguments = options.arguments;
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  const auto began = Clock::now();
  Tracer tracer(options, run);
  if (const auto started = tracer.start(); !started) return tl::unexpected(started.error());
  tracer.run();
  run.wall_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  getrusage(RUSAGE_CHILDREN, &after);
  run.user_seconds = seconds(after.ru_utime) - seconds(before.ru_utime);
  run.system_seconds = seconds(after.ru_stime) - seconds(before.ru_stime);
  if (const int wrong = failure_of_exec(tracer.started()); wrong != 0)
    run.end = {ProgramEnd::How::not_executed, wrong, run.end.timed_out};
  return run;
}

}  // namespace aesgate::witness
