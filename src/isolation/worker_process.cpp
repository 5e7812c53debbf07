#include "isolation/worker_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/trap.h"
#include "isolation/channel.h"
#include "isolation/worker.h"

namespace aesgate {
namespace {

using std::chrono::milliseconds;

/// How often a wait looks if the process is still there: a process that it started may hold the socket open.
constexpr milliseconds slice{50};

/// How long a process that closed its socket may take to be gone.
constexpr milliseconds farewell{1000};
constexpr milliseconds longest_burial{5000};

/// How long the middle of a message may not move: what writes to the socket need not be the worker.
constexpr timeval stalled{10, 0};

[[noreturn]] void fail(const char* what, int wrong = errno) {
  throw std::system_error(wrong, std::generic_category(), fmt::format("no worker process: {}", what));
}

/// A descriptor above those that the worker starts with, so that putting one in its place overwrites no other.
int moved_up(int descriptor) {
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  const int wrong = errno;
  close(descriptor);
  if (moved < 0) fail("fcntl()", wrong);
  return moved;
}

/// posix_spawn's two structs, destroyed with it. The process gets a group of its own, so that Ctrl-C is for this
/// process alone to answer, and what the worker starts can be killed with it; signals as they are for a new program;
/// nowhere to read from or print to; and no descriptor but its two.
class SpawnPlan {
 public:
  SpawnPlan(int socket, int note) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_adddup2(&actions_, socket, worker::socket);
    posix_spawn_file_actions_adddup2(&actions_, note, worker::note);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions_, std::max(worker::socket, worker::note) + 1);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  [[nodiscard]] pid_t run(const char* program, std::array<std::string, 4>& arguments) const {
    std::array<char*, 5> pointers{};
    std::ranges::transform(arguments, pointers.begin(), [](std::string& text) { return text.data(); });
    pid_t process = 0;
    const int wrong = posix_spawn(&process, program, &actions_, &attributes_, pointers.data(), environ);
    if (wrong != 0) fail("posix_spawn()", wrong);
    return process;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::string seconds_text(milliseconds time) { return fmt::format("{} s", static_cast<double>(time.count()) / 1000); }

/// What a worker started is this process's when the worker is gone (subreaper), and being killed: until it is gone too,
/// it takes up processes and memory, which the next worker's come on top of.
void wait_for_orphans(pid_t group) {
  for (milliseconds waited{0}; waited < longest_burial; waited += milliseconds(1)) {
    const pid_t gone = waitpid(-group, nullptr, WNOHANG);
    if (gone < 0 && errno != EINTR) return;
    if (gone == 0) usleep(1000);
  }
}

// Not where: what wrote to the socket may have done so long before.
constexpr const char* unreadable = "its process gave no answer that can be read";

}  // namespace

WorkerProcess::Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

WorkerProcess::Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

WorkerProcess::Descriptor& WorkerProcess::Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void WorkerProcess::Unmap::operator()(CallNote* note) const { munmap(note, sizeof(CallNote)); }

WorkerProcess::WorkerProcess(const std::filesystem::path& source) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // see wait_for_orphans()
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair()");
  socket_ = Descriptor(ends[0]);
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) setsockopt(ends[0], SOL_SOCKET, option, &stalled, sizeof stalled);
  const Descriptor theirs(moved_up(ends[1]));
  Descriptor memory;
  share_note(memory);
  spawn(source, theirs.get(), memory.get());
}

void WorkerProcess::share_note(Descriptor& memory) {
  const int descriptor = memfd_create("aesgate-call-note", MFD_CLOEXEC);
  if (descriptor < 0) fail("memfd_create()");
  memory = Descriptor(moved_up(descriptor));
  if (ftruncate(memory.get(), sizeof(CallNote)) != 0) fail("ftruncate()");
  void* const shared = mmap(nullptr, sizeof(CallNote), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (shared == MAP_FAILED) fail("mmap()");
  note_.reset(new (shared) CallNote());
}

void WorkerProcess::spawn(const std::filesystem::path& source, int socket, int note) {
  static const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  // By the link, which is the program that runs, also where a build put another file in its place meanwhile.
  std::array<std::string, 4> arguments{program, worker::argument, std::to_string(getpid()), source.string()};
  process_ = SpawnPlan(socket, note).run("/proc/self/exe", arguments);
}

WorkerProcess::~WorkerProcess() { kill(); }

tl::expected<Bytes, Loss> WorkerProcess::ask(ByteView request, milliseconds limit) {
  note_->clear();
  if (!channel::send(socket_.get(), request)) return tl::unexpected(lost());
  // Time is counted in slices, so that a process group which a person or a scheduler had stopped is not blamed for
  // the time in which nothing ran.
  for (milliseconds waited{0};;) {
    pollfd ready{socket_.get(), POLLIN, 0};
    const int found = poll(&ready, 1, static_cast<int>(slice.count()));
    if (found < 0 && errno != EINTR) fail("poll()");
    if (found > 0) break;
    if (has_ended(WNOHANG)) return tl::unexpected(lost());
    waited += slice;
    if (waited >= limit) return tl::unexpected(silent(limit));
  }
  Bytes answer;
  switch (channel::receive(socket_.get(), answer)) {
    case channel::Received::message: return answer;
    case channel::Received::end: return tl::unexpected(lost());
    case channel::Received::nonsense: break;
  }
  kill();
  return tl::unexpected(Loss{Verdict::failed, unreadable});
}

bool WorkerProcess::has_ended(int options) {
  if (process_ == 0) return true;
  siginfo_t info{};
  const int waited = waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT | options);
  if (waited != 0 ? errno == EINTR : info.si_pid == 0) return false;
  // What it started, and left, is in its group; until it is waited for, the number is nobody else's.
  ::kill(-process_, SIGKILL);
  waitpid(process_, &status_, 0);
  wait_for_orphans(std::exchange(process_, 0));
  return true;
}

Loss WorkerProcess::lost() {
  milliseconds waited{0};
  for (; !has_ended(WNOHANG) && waited < farewell; waited += milliseconds(1)) usleep(1000);
  const bool ended = process_ == 0;
  kill();
  const std::string where = note_->where();
  if (!ended) return {Verdict::failed, unreadable};
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == worker::cannot_answer)
    return {Verdict::failed, fmt::format("its process could not answer, since a descriptor was closed, {}", where)};
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == worker::forked_too_often)
    return {Verdict::failed,
            fmt::format("it started more than {} processes and left some, {}", worker::most_forks, where)};
  if (WIFSIGNALED(status_)) return {Verdict::crashed, fmt::format("{} {}", signal_name(WTERMSIG(status_)), where)};
  return {Verdict::failed, fmt::format("it called exit({}) {}", WEXITSTATUS(status_), where)};
}

Loss WorkerProcess::silent(milliseconds limit) {
  kill();
  return {Verdict::timed_out, fmt::format("no answer in {} {}", seconds_text(limit), note_->where())};
}

void WorkerProcess::kill() {
  if (process_ == 0) return;
  ::kill(-process_, SIGKILL);
  ::kill(process_, SIGKILL);
  while (!has_ended(0)) {
  }
}

}  // namespace aesgate
