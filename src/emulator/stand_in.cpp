#include "emulator/stand_in.h"

#include <fmt/format.h>

namespace aesgate::emulator {

std::string_view name(StandIn stand_in) {
  switch (stand_in) {
    case StandIn::af_alg: return "af_alg";
    case StandIn::cryptodev: return "cryptodev";
    case StandIn::cryptodev_bsd: return "cryptodev-bsd";
  }
  return "";
}

}  // namespace aesgate::emulator

#include "emulator/stand_ins_built.h"

#if AESGATE_STAND_INS

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/allowance.h"
#include "emulator/stand_in_filter.h"
#include "emulator/supervisor.h"

namespace aesgate::emulator {
namespace {

using Stage = SharedState::Stage;

std::mutex mutex;              // for what follows, while something is installed
SharedState* state = nullptr;  // once the supervisor serves
pid_t supervisor_process = -1;

Result<SharedState*> shared_memory() {
  void* memory = mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return error("mmap() failed: {}", std::strerror(errno));
  return new (memory) SharedState;
}

/// Until the supervisor comes to `stage`; an Error if it does not.
Result<void> wait_for(SharedState& shared, Stage stage, pid_t child) {
  for (int tries = 0; shared.stage != stage; ++tries) {
    if (shared.stage == Stage::failed)
      return error("{} failed: {}", shared.failed_at.load(), std::strerror(shared.error));
    if (waitpid(child, nullptr, WNOHANG) == child) return error("its supervisor ended");
    if (tries == 100'000) return error("its supervisor does not answer");
    const timespec moment{0, 100'000};
    nanosleep(&moment, nullptr);
  }
  return {};
}

/// Has the kernel ask a supervisor about the calls of stand_in_filter.h from now on: the descriptor to answer by.
Result<int> install_filter() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return error("no_new_privs failed: {}", std::strerror(errno));
  const auto instructions = stand_in_filter();
  const sock_fprog program{static_cast<unsigned short>(instructions.size()),
                           const_cast<sock_filter*>(instructions.data())};
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV  // Linux 5.19: a signal does not make a call start anew
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
  constexpr unsigned long flags =
      SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
  long listener =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (listener < 0 && errno == EINVAL) listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (listener >= 0) return static_cast<int>(listener);
  if (errno == EBUSY) return error("seccomp() failed: another supervisor has this process");
  return error("seccomp() failed: {}; it needs Linux 5.14", std::strerror(errno));
}

Result<void> start_supervisor(SharedState& shared, pid_t& child) {
  static const volatile std::uint64_t check = supervisor_check;
  const pid_t program = getpid();
  child = fork();
  if (child < 0) return error("fork() failed: {}", std::strerror(errno));
  if (child == 0) supervise(shared, program, const_cast<const std::uint64_t*>(&check));
#ifdef PR_SET_PTRACER
  prctl(PR_SET_PTRACER, child, 0, 0, 0);  // where Yama has a child's reach end; an error where there is no Yama
#endif
  if (auto ready = wait_for(shared, Stage::ready, child); !ready) return ready;
  const auto listener = install_filter();
  if (!listener) return tl::unexpected(listener.error());
  shared.listener = *listener;
  shared.stage = Stage::filtered;
  auto serving = wait_for(shared, Stage::serving, child);
  close(*listener);  // if the supervisor ever ends, its calls fail, and do not wait for ever
  return serving;
}

}  // namespace

Result<void> install_stand_in(StandIn stand_in) {
  const std::lock_guard lock(mutex);
  const StandIn other = stand_in == StandIn::cryptodev ? StandIn::cryptodev_bsd : StandIn::cryptodev;
  if (stand_in != StandIn::af_alg && state != nullptr && state->is_enabled(other))
    return error("{}: {} is emulated already, and there is one /dev/crypto", name(stand_in), name(other));
  if (state == nullptr) {
    const auto shared = shared_memory();
    if (!shared) return error("{}: no stand-in: {}", name(stand_in), shared.error().message);
    pid_t child = -1;
    if (const auto started = start_supervisor(**shared, child); !started) {
      (*shared)->stage = Stage::failed;  // which has it end
      if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
      munmap(*shared, sizeof(SharedState));
      return error("{}: no stand-in: {}", name(stand_in), started.error().message);
    }
    state = *shared;
    supervisor_process = child;
    clockid_t clock{};
    if (clock_getcpuclockid(child, &clock) == 0) Allowance::count_also(clock);
  }
  state->enabled |= 1u << static_cast<unsigned>(stand_in);
  return {};
}

bool stand_ins_are_built() { return true; }
bool stand_in_is_installed(StandIn stand_in) { return state != nullptr && state->is_enabled(stand_in); }

std::uint64_t answered(Counted call) {
  return state == nullptr ? 0 : state->answered[static_cast<std::size_t>(call)].load();
}
std::uint64_t answered_ioctls(unsigned number) { return state == nullptr ? 0 : state->ioctls[number & 0xff].load(); }
std::int64_t open_objects() { return state == nullptr ? 0 : state->objects.load(); }
std::int64_t open_sessions() { return state == nullptr ? 0 : state->sessions.load(); }

void plant(Misbehaviour misbehaviour) {
  if (state != nullptr) state->misbehaviour = misbehaviour;
}

std::optional<pid_t> supervisor() {
  if (state == nullptr) return std::nullopt;
  return supervisor_process;
}

}  // namespace aesgate::emulator

#else

namespace aesgate::emulator {

Result<void> install_stand_in(StandIn stand_in) {
  return error("{}: no stand-in: it was not built, for want of Linux and its headers from 5.14 on", name(stand_in));
}
bool stand_ins_are_built() { return false; }
bool stand_in_is_installed(StandIn) { return false; }
std::uint64_t answered(Counted) { return 0; }
std::uint64_t answered_ioctls(unsigned) { return 0; }
std::int64_t open_objects() { return 0; }
std::int64_t open_sessions() { return 0; }
void plant(Misbehaviour) {}
std::optional<pid_t> supervisor() { return std::nullopt; }

}  // namespace aesgate::emulator

#endif
