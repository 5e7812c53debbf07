#include "witness/tracer.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "witness/burst.h"
#include "witness/traced_call.h"

namespace aesgate::witness {
namespace {

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

}  // namespace

Result<void> Tracer::start() {
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

void Tracer::run() {
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

void Tracer::take_stops() {
  for (;;) {
    siginfo_t what{};
    if (waitid(P_ALL, 0, &what, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) != 0 || what.si_pid == 0) return;
    if (what.si_code == CLD_EXITED || what.si_code == CLD_KILLED || what.si_code == CLD_DUMPED)
      add_times_of(what.si_pid);
    int status = 0;
    const pid_t thread = waitpid(what.si_pid, &status, __WALL | WNOHANG);
    if (thread <= 0) continue;
    if (WIFSTOPPED(status))
      stopped(thread, status);
    else
      ended(thread, status);
  }
}

void Tracer::add_times_of(pid_t thread) {
  if (!run_.traced) return;
  const ThreadTimes its = times_of(thread);
  times_.all += its.all;
  times_.system += its.system;
}

void Tracer::ended(pid_t thread, int status) {
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

TracedThread& Tracer::thread_of(pid_t id) {
  const auto found = threads_.find(id);
  if (found != threads_.end()) return found->second;
  // Its first stop can come before its parent's, which says who it is.
  return adopt(id, process_of(id));
}

TracedThread& Tracer::adopt(pid_t id, pid_t process) {
  const auto [added, is_new] = threads_.try_emplace(id, id, process);
  if (is_new) {
    next_look_ = std::min(next_look_, Clock::now());
    ++run_.threads;
    if (processes_.try_emplace(process).second) ++run_.processes;
    processes_[process].every_call |= start_.watch == Watch::every_call;
  }
  return added->second;
}

void Tracer::stopped(pid_t id, int status) {
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

bool Tracer::is_step(pid_t thread) {
  siginfo_t info{};
  return ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) == 0 && info.si_code == TRAP_TRACE;
}

void Tracer::gets(TracedThread& thread, int signal) {
  siginfo_t info{};
  if (thread.process == start_.process && ptrace(PTRACE_GETSIGINFO, thread.id, nullptr, &info) == 0)
    relay_.program_gets(signal, info.si_pid);
  let_go(thread, signal);
}

void Tracer::came_to_a_stop(TracedThread& thread, int signal) {
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

void Tracer::step_or_let_go(TracedThread& thread, Burst::Next next) {
  if (next == Burst::Next::let_go) return let_go(thread);
  request(PTRACE_SINGLESTEP, thread.id);
}

void Tracer::let_go(TracedThread& thread, int signal) {
  end_burst(thread);
  const bool stops_at_calls = thread.in_call || processes_[thread.process].every_call;
  request(stops_at_calls ? PTRACE_SYSCALL : PTRACE_CONT, thread.id, static_cast<std::uintptr_t>(signal));
}

void Tracer::at_call(TracedThread& thread) {
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

void Tracer::executed(pid_t id) {
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

void Tracer::has_child(TracedThread& parent) {
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

void Tracer::stop_with_the_program() {
  if (!wants_to_stop_ || (run_.traced && !main_stopped_)) return;
  wants_to_stop_ = main_stopped_ = false;
  raise(SIGSTOP);
}

}  // namespace aesgate::witness
