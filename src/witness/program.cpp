#include "witness/program.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory_file.h"
#include "core/text_file.h"

namespace aesgate::witness {
namespace {

using std::chrono::milliseconds;

[[noreturn]] void fail(const std::string& what, int wrong) {
  throw std::system_error(wrong, std::generic_category(), what);
}

pid_t spawn(std::vector<std::string>& arguments, const std::array<const MemoryFile*, 3>& streams) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (std::size_t i = 0; i < streams.size(); ++i)
    posix_spawn_file_actions_adddup2(&actions, streams[i]->descriptor(), static_cast<int>(i + 1));
  posix_spawn_file_actions_addclosefrom_np(&actions, extra_descriptor + 1);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int wrong = posix_spawn(&process, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (wrong != 0) fail(fmt::format("{} cannot be started", arguments[0]), wrong);
  return process;
}

/// Has it ended? Leaves it to be waited for: until then its number, and its group's, are nobody else's.
bool has_ended(pid_t process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid != 0;
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    if (folder.empty()) continue;
    const std::string file = fmt::format("{}/{}", folder, name);
    std::error_code ignored;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, ignored)) return file;
  }
  return {};
}

ProgramRun run_program(std::vector<std::string> arguments, milliseconds limit) {
  const MemoryFile out, err, extra;
  const pid_t process = spawn(arguments, {&out, &err, &extra});
  // Counted in slices, so that the time in which all of it was stopped is not the program's.
  constexpr milliseconds slice{5};
  milliseconds waited{0};
  for (; !has_ended(process) && waited < limit; waited += slice) usleep(static_cast<useconds_t>(slice.count()) * 1000);
  ProgramRun run;
  run.timed_out = !has_ended(process);
  kill(-process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.out = out.text();
  run.err = err.text();
  run.extra = extra.text();
  return run;
}

}  // namespace aesgate::witness
