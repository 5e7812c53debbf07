#include "perf/gate_process.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory_file.h"
#include "core/trap.h"
#include "core/write_file.h"

namespace aesgate {
namespace {

using std::chrono::milliseconds;

// The command line of a launch is: PROGRAM `argument` PARENT; the request comes on its standard input, and what it saw
// goes to descriptor 3. Both are files in memory, so that neither end waits for the other.
constexpr const char* argument = "--launch-of-aesgate-gate";
constexpr int answer_descriptor = 3;
constexpr int could_not_load = 120;  // with the Error as the answer
constexpr int could_not_answer = 121;

/// This process's environment, with room for the thread-local data of several plugins: the loader puts what was
/// compiled for speed (-ftls-model=initial-exec, as some libraries are) into a block of a fixed size, of which a
/// program that loads one copy more than others may run out.
class Environment {
 public:
  Environment() {
    constexpr std::string_view variable = "GLIBC_TUNABLES=";
    std::string tunables = "glibc.rtld.optional_static_tls=262144";
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (!std::string_view(*entry).starts_with(variable))
        entries_.emplace_back(*entry);
      else
        tunables = std::string(*entry + variable.size()) + ':' + tunables;
    }
    entries_.push_back(std::string(variable) + tunables);
    for (std::string& entry : entries_) pointers_.push_back(entry.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

Result<pid_t> spawn(int request, int answer) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, request, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answer, answer_descriptor);
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, answer_descriptor + 1);
  // Signals as they are for a new program, and a group of its own, so that what it starts ends with it.
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string parent = std::to_string(getpid());
  std::string program = "aesgate";
  std::string option = argument;
  char* arguments[] = {program.data(), option.data(), parent.data(), nullptr};
  Environment environment;
  pid_t process = 0;
  // By the link, which is the program that runs, also where a build put another file in its place meanwhile.
  const int wrong = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, arguments, environment.get());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (wrong != 0) return error("no process to measure in: {}", std::strerror(wrong));
  return process;
}

/// Its status of waitpid(), and its process group is gone; nothing if it took too long, and was ended.
std::optional<int> await(pid_t process) {
  constexpr milliseconds slice{2};
  bool ended = false;
  for (milliseconds waited{0}; !ended && waited < longest_launch; waited += slice) {
    siginfo_t info{};
    ended = waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid != 0;
    if (!ended) usleep(static_cast<useconds_t>(slice.count() * 1000));
  }
  kill(-process, SIGKILL);
  kill(process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return ended ? std::optional(status) : std::nullopt;
}

[[noreturn]] void measure(const char* parent) {
  pid_t expected = 0;
  std::from_chars(parent, parent + std::strlen(parent), expected);
  leave_exit_to_the_backend();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != expected) _exit(0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  fcntl(answer_descriptor, F_SETFD, FD_CLOEXEC);
  const auto request = read_request(contents(STDIN_FILENO));
  const auto launched = request ? launch_here(*request) : tl::unexpected(request.error());
  if (write_all(answer_descriptor, launched ? to_text(*launched) : launched.error().message) != 0)
    _exit(could_not_answer);
  _exit(launched ? 0 : could_not_load);
}

}  // namespace

Result<Launched> launch_in_process(const LaunchRequest& request) try {
  const MemoryFile question(to_text(request)), answer;
  const auto process = spawn(question.descriptor(), answer.descriptor());
  if (!process) return tl::unexpected(process.error());
  const auto status = await(*process);
  const auto lost = [](std::string how) {
    Launched launched;
    launched.lost = std::move(how);
    return launched;
  };
  if (!status) return lost(fmt::format("the process did not come back in {} s", longest_launch.count()));
  if (WIFSIGNALED(*status)) return lost(fmt::format("{} ended the process", signal_name(WTERMSIG(*status))));
  const int code = WEXITSTATUS(*status);
  if (code == could_not_load) return error("{}", answer.text());
  if (code != 0) return lost(fmt::format("the process called exit({})", code));
  auto launched = read_launched(answer.text());
  const std::size_t cells = request.task == LaunchRequest::Task::report ? 0 : request.cells.size();
  if (!launched || launched->cells.size() != cells) return lost("the process gave no answer that can be read");
  return launched;
} catch (const std::system_error& wrong) {
  return error("{}", wrong.what());
}

void measure_if_launch(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == argument) measure(argv[2]);
}

}  // namespace aesgate
