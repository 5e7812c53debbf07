#include "witness/traced_start.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "witness/call_filter.h"

namespace aesgate::witness {
namespace {

// What the two processes tell each other before the program is executed.
struct Ready {
  int filter_errno;
  bool keeps_privileges;
};
enum Word : char { traced = 't', untraced = 'u', go = 'g' };

bool read_exactly(int descriptor, void* to, std::size_t size) {
  for (std::size_t got = 0; got < size;) {
    const ssize_t part = read(descriptor, static_cast<char*>(to) + got, size - got);
    if (part == 0 || (part < 0 && errno != EINTR)) return false;
    if (part > 0) got += static_cast<std::size_t>(part);
  }
  return true;
}

bool tell(int descriptor, const void* what, std::size_t size) {
  return send(descriptor, what, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

[[noreturn]] void become(const std::vector<char*>& arguments, int parent, const sigset_t& mask,
                         const std::vector<int>& default_signals, bool with_filter) {
  char word = 0;
  if (!read_exactly(parent, &word, 1)) _exit(127);
  Ready ready{};
  if (word == traced) {
    ready.filter_errno = with_filter ? install_call_filter(ready.keeps_privileges) : ECANCELED;
    if (!tell(parent, &ready, sizeof ready) || !read_exactly(parent, &word, 1)) _exit(127);
  }
  for (const int signal : default_signals) std::signal(signal, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(arguments[0], arguments.data());
  const int wrong = errno;
  [[maybe_unused]] const bool told = tell(parent, &wrong, sizeof wrong);
  _exit(127);
}

std::string why_not_traced(int wrong) {
  switch (wrong) {
    case EPERM:
      return "ptrace() is forbidden here (EPERM): kernel.yama.ptrace_scope, a container, or a tracer that is there "
             "already";
    case ENOSYS:
    case EIO: return "ptrace() is not there: an emulator of programs (qemu-user), or a sandbox";
    default: return std::string("ptrace() failed: ") + std::strerror(wrong);
  }
}

/// Stops the process, which waits for a word, so that it goes on as one that stops at each call.
bool watch_every_call(pid_t process) {
  int status = 0;
  return ptrace(PTRACE_INTERRUPT, process, nullptr, nullptr) == 0 && waitpid(process, &status, __WALL) == process &&
         WIFSTOPPED(status) && ptrace(PTRACE_SYSCALL, process, nullptr, nullptr) == 0;
}

}  // namespace

Result<TracedStart> start_traced(const std::vector<std::string>& arguments, const sigset_t& mask,
                                 const std::vector<int>& default_signals, bool with_filter) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return error("socketpair(): {}", std::strerror(errno));
  TracedStart start;
  start.exec_failure = ends[0];
  start.process = fork();
  if (start.process == 0) {
    close(ends[0]);
    become(pointers, ends[1], mask, default_signals, with_filter);
  }
  const int wrong = errno;
  close(ends[1]);
  if (start.process < 0) {
    close(ends[0]);
    return error("fork(): {}", std::strerror(wrong));
  }
  constexpr std::uintptr_t options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
                                     PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
                                     PTRACE_O_TRACESECCOMP;
  start.traced = ptrace(PTRACE_SEIZE, start.process, nullptr, reinterpret_cast<void*>(options)) == 0;
  if (!start.traced) {
    start.why_not = why_not_traced(errno);
    start.keeps_privileges = true;
  }
  const char word = start.traced ? traced : untraced;
  bool well = tell(start.exec_failure, &word, 1);
  Ready ready{};
  if (well && start.traced) {
    well = read_exactly(start.exec_failure, &ready, sizeof ready);
    start.keeps_privileges = ready.keeps_privileges && geteuid() == 0;
    if (well && ready.filter_errno != 0) {
      start.watch = Watch::every_call;
      start.why_not =
          with_filter ? std::string("seccomp() failed: ") + std::strerror(ready.filter_errno) : "it was asked for";
      well = watch_every_call(start.process);
    }
    const char last = go;
    well = well && tell(start.exec_failure, &last, 1);
  }
  if (well) return start;
  kill(start.process, SIGKILL);
  close(start.exec_failure);
  return error("the process of {} could not be started", arguments[0]);
}

int failure_of_exec(TracedStart& start) {
  int wrong = 0;
  const int descriptor = std::exchange(start.exec_failure, -1);
  if (descriptor < 0 || recv(descriptor, &wrong, sizeof wrong, MSG_DONTWAIT) != sizeof wrong) wrong = 0;
  if (descriptor >= 0) close(descriptor);
  return wrong;
}

}  // namespace aesgate::witness
