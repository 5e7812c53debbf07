#include "isolation/worker.h"

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/plugin.h"
#include "core/registry.h"
#include "core/secret.h"
#include "core/session.h"
#include "core/trap.h"
#include "emulator/emulator.h"
#include "isolation/channel.h"
#include "isolation/message.h"

namespace aesgate {
namespace {

DrivenInfo info_of(const aesgate_backend& backend) {
  return {backend.name, backend.kind, backend.unit, backend.description, backend.configure != nullptr};
}

/// An answer is the number 1 and what was asked for, or the number 0 and an Error.
template <typename T>
void write_result(MessageWriter& answer, const Result<T>& result) {
  answer.number(result.has_value());
  if (result)
    write(answer, *result);
  else
    answer.text(result.error().message);
}

/// Since there was no child: a backend that waits for what it starts may start as many as it likes.
std::atomic<unsigned> forks{0};

void before_fork() {
  if (++forks <= worker::most_forks) return;
  siginfo_t child{};
  if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0) _exit(worker::forked_too_often);
  forks = 1;
}

class Worker {
 public:
  Worker(std::filesystem::path source, CallNote& note) : source_(std::move(source)), note_(note) {}

  void answer(ByteView message, MessageWriter& answer) {
    MessageReader reader(message);
    switch (static_cast<Request>(reader.number())) {
      case Request::list: return write_result(answer, list());
      case Request::choose: return write_result(answer, choose(reader.text()));
      case Request::probe: return write_result(answer, probe());
      case Request::execute: return write_result(answer, execute(reader));
    }
    write_result(answer, Result<Outcome>(error("the worker does not know this request")));
  }

 private:
  Result<std::vector<DrivenInfo>> list() {
    if (const auto loaded = load(); !loaded) return tl::unexpected(loaded.error());
    std::vector<DrivenInfo> infos;
    for (const aesgate_backend* backend : backends_) infos.push_back(info_of(*backend));
    return infos;
  }

  Result<std::vector<DrivenInfo>> choose(const std::string& spec) {
    if (const auto loaded = load(); !loaded) return tl::unexpected(loaded.error());
    note_.enter("configure()");
    const auto found = find_backend(spec, backends_);
    note_.leave();
    if (!found) return tl::unexpected(found.error());
    chosen_ = *found;
    return std::vector{info_of(*chosen_)};
  }

  Result<Description> probe() {
    if (chosen_ == nullptr) return error("no backend was chosen");
    Description description{{}, std::vector<bool>(shape_count)};
    note_.enter("probe()");
    description.why_unavailable = why_unavailable(*chosen_);
    note_.enter("update_for()");
    for (const Shape& shape : all_shapes()) description.supported[index(shape)] = Session::supports(*chosen_, shape);
    note_.leave();
    return description;
  }

  Result<Outcome> execute(MessageReader& reader) {
    if (chosen_ == nullptr) return error("no backend was chosen");
    const auto c = read_case(reader);
    if (!c) return error("the worker was sent no Case");
    Outcome outcome = execute_here(*chosen_, *c, &note_);
    if (has_printed())
      outcome.warnings[static_cast<std::size_t>(Warning::prints)] = "to standard output or standard error";
    return outcome;
  }

  /// Since it was last asked. Both streams are one file in memory.
  static bool has_printed() {
    std::fflush(stdout);
    if (lseek(STDOUT_FILENO, 0, SEEK_CUR) <= 0) return false;
    [[maybe_unused]] const int ignored = ftruncate(STDOUT_FILENO, 0);
    lseek(STDOUT_FILENO, 0, SEEK_SET);
    return true;
  }

  /// Once; the backends stay.
  Result<void> load() {
    if (!backends_.empty()) return {};
    auto loaded = source_.empty() ? Result<std::vector<const aesgate_backend*>>(built_in_backends())
                                  : load_plugin(source_, &note_);
    if (!loaded) return tl::unexpected(loaded.error());
    backends_ = std::move(*loaded);
    return {};
  }

  std::filesystem::path source_;
  CallNote& note_;
  std::vector<const aesgate_backend*> backends_;
  const aesgate_backend* chosen_ = nullptr;
};

/// What an exception out of a call that nothing traps (aesgate_backends(), probe(), configure()) becomes.
void answer_or_say_why(Worker& worker, const CallNote& note, ByteView message, MessageWriter& answer) {
  try {
    return worker.answer(message, answer);
  } catch (const std::bad_alloc&) {
    write_result(answer, Result<Outcome>(error("out of memory {}", note.where())));
  } catch (const std::exception& exception) {
    write_result(answer, Result<Outcome>(error("a C++ exception {}: {}", note.where(), exception.what())));
  } catch (...) {
    write_result(answer, Result<Outcome>(error("a C++ exception {}", note.where())));
  }
}

/// Nobody reads what is printed here, but a backend may not print.
void keep_what_is_printed() {
  const int memory = memfd_create("printed", MFD_CLOEXEC);
  if (memory < 0) return;  // then it goes where nothing is kept, as it did before
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) dup2(memory, standard);
  close(memory);
}

/// This process dies with the one that started it, also while it is in a call that does not return; leaves no core
/// file; and what it executes cannot pass its descriptors on.
void prepare_process(const char* parent) {
  pid_t expected = 0;
  std::from_chars(parent, parent + std::strlen(parent), expected);
  leave_exit_to_the_backend();
  pthread_atfork(before_fork, nullptr, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != expected) _exit(0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int descriptor : {worker::socket, worker::note}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void work(const char* parent, const char* source) {
  prepare_process(parent);
  void* const shared = mmap(nullptr, sizeof(CallNote), PROT_READ | PROT_WRITE, MAP_SHARED, worker::note, 0);
  if (shared == MAP_FAILED) _exit(1);
  auto& note = *static_cast<CallNote*>(shared);
  keep_what_is_printed();
  if (!emulator::install_from_environment()) _exit(1);  // the process that started this one has said why
  Worker worker(source, note);
  const pid_t self = getpid();
  // _exit(): what the backend registered for the end of the process is not ours to run.
  for (Bytes message; channel::receive(worker::socket, message) == channel::Received::message;) {
    MessageWriter answer;
    answer_or_say_why(worker, note, message, answer);
    if (getpid() != self) _exit(0);  // a call forked, and returned twice: one answers
    wipe(message.data(), message.size());
    if (!channel::send(worker::socket, answer.message())) _exit(worker::cannot_answer);
  }
  _exit(0);
}

}  // namespace

void work_if_worker(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == worker::argument) work(argv[2], argv[3]);
}

}  // namespace aesgate
