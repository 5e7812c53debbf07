#include "fuzz/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace aesgate {
namespace {

/// This process's environment with `variables` in it.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  const auto name_of = [](std::string_view variable) { return variable.substr(0, variable.find('=')); };
  std::vector<std::string> all = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool replaced = false;
    for (const std::string& other : variables) replaced = replaced || name_of(other) == name_of(*variable);
    if (!replaced) all.emplace_back(*variable);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The new process, up to its program: nothing here may allocate memory.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, int output,
                         pid_t parent) {
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
#else
  (void)parent;
#endif
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execve(program, arguments, environment);
  const char* const why = std::strerror(errno);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, why, std::strlen(why));
  _exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::filesystem::path& program,
                                         const std::vector<std::string>& arguments,
                                         const std::vector<std::string>& variables) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return error("no process for {}: {}", program.string(), std::strerror(errno));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_with(variables);
  const auto argument_pointers = pointers_to(words);
  const auto environment_pointers = pointers_to(environment);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) become(program.c_str(), argument_pointers.data(), environment_pointers.data(), ends[1], parent);
  const int wrong = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return error("no process for {}: {}", program.string(), std::strerror(wrong));
  }
  setpgid(process, process);  // in both: whoever comes first
  return ChildProcess(process, ends[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, 0)),
      output_(std::exchange(other.output_, -1)),
      status_(other.status_),
      part_(std::move(other.part_)),
      last_lines_(std::move(other.last_lines_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(output_, other.output_);
  std::swap(status_, other.status_);
  std::swap(part_, other.part_);
  std::swap(last_lines_, other.last_lines_);
  return *this;
}

ChildProcess::~ChildProcess() {
  kill();
  if (output_ >= 0) close(output_);
}

void ChildProcess::take(std::string_view text, std::vector<std::string>& lines) {
  for (const char c : text) {
    if (c != '\n') {
      if (part_.size() < longest_line) part_ += c;
      continue;
    }
    last_lines_.push_back(part_);
    if (last_lines_.size() > lines_kept) last_lines_.pop_front();
    lines.push_back(std::exchange(part_, {}));
  }
}

std::vector<std::string> ChildProcess::read_lines() {
  std::vector<std::string> lines;
  std::array<char, 4096> buffer;
  // A bound, so that a process that never stops printing does not keep this one here.
  for (int reads = 0; reads < 64 && output_ >= 0; ++reads) {
    const ssize_t got = read(output_, buffer.data(), buffer.size());
    if (got > 0) {
      take({buffer.data(), static_cast<std::size_t>(got)}, lines);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (!part_.empty()) take("\n", lines);
    close(std::exchange(output_, -1));
  }
  return lines;
}

bool ChildProcess::has_ended() {
  if (process_ == 0) return true;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return false;
  // What it started, such as the inner process of a merge, goes with it.
  ::kill(-process_, SIGKILL);
  process_ = 0;
  status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

void ChildProcess::ask_to_end() {
  if (process_ != 0) ::kill(-process_, SIGTERM);
}

void ChildProcess::kill() {
  if (process_ == 0) return;
  ::kill(-process_, SIGKILL);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = 0;
  status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace aesgate
