#include "emulator/stand_ins_built.h"

#if AESGATE_STAND_INS

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "emulator/stand_in_objects.h"
#include "emulator/supervisor.h"

namespace aesgate::emulator {
namespace {

using Stage = SharedState::Stage;

/// epoll's names for what is no object: inodes of sockets begin later.
constexpr std::uint64_t listener_event = 0;
constexpr std::uint64_t program_event = 1;

class Supervisor : public Watch {
 public:
  Supervisor(SharedState& state, pid_t program) : state_(state), program_(program) {}

  /// False if something that it needs does not work; the state then says what.
  bool prepare(const std::uint64_t* check_address) {
    program_descriptor_ = OwnDescriptor(static_cast<int>(syscall(SYS_pidfd_open, program_, 0)));
    if (program_descriptor_.number() < 0) return failed("pidfd_open()");
    events_ = OwnDescriptor(epoll_create1(EPOLL_CLOEXEC));
    if (events_.number() < 0) return failed("epoll_create1()");
    std::uint64_t word = 0;
    const iovec here{&word, sizeof word};
    const iovec there{const_cast<std::uint64_t*>(check_address), sizeof word};
    if (process_vm_readv(program_, &here, 1, &there, 1, 0) != sizeof word || word != supervisor_check)
      return failed("process_vm_readv() of the program");
    seccomp_notif_sizes sizes{};
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) return failed("seccomp(GET_NOTIF_SIZES)");
    request_size_ = std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif));
    if (!add(program_descriptor_.number(), EPOLLIN, program_event)) return failed("epoll_ctl()");
    state_.stage = Stage::ready;
    return true;
  }

  /// Waits for the program's filter, and takes its listener; false if it never comes.
  bool take_listener() {
    while (state_.stage != Stage::filtered) {
      epoll_event event{};
      if (epoll_wait(events_.number(), &event, 1, 1) == 1) return false;  // the program ended
      if (state_.stage == Stage::failed) return false;                    // it gave up
    }
    // Found by number, since a message with it would be one of the calls that wait for this supervisor.
    listener_ = OwnDescriptor(
        static_cast<int>(syscall(SYS_pidfd_getfd, program_descriptor_.number(), state_.listener.load(), 0)));
    if (listener_.number() < 0) return failed("pidfd_getfd()");
    if (!add(listener_.number(), EPOLLIN, listener_event)) return failed("epoll_ctl()");
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS  // Linux 6.6: the program and the supervisor take turns on one CPU
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
    ioctl(listener_.number(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    state_.stage = Stage::serving;
    return true;
  }

  /// Until the program ends.
  void serve() {
    devices_.push_back(make_af_alg(state_, *this));
    devices_.push_back(make_cryptodev_linux(state_, *this));
    devices_.push_back(make_cryptodev_bsd(state_, *this));
    for (;;) {
      std::array<epoll_event, 16> events{};
      const int n = epoll_wait(events_.number(), events.data(), static_cast<int>(events.size()), -1);
      if (n < 0 && errno != EINTR) return;
      for (int i = 0; i < n; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.u64 == program_event) return;
        if (event.data.u64 == listener_event) {
          if ((event.events & EPOLLIN) == 0) return;  // no process has the filter any more
          answer_one();
        } else if ((event.events & (EPOLLHUP | EPOLLERR)) != 0) {
          for (const auto& device : devices_) device->closed(static_cast<ino_t>(event.data.u64));
        }
      }
    }
  }

  bool watch(int end, ino_t object) override { return add(end, 0, object); }  // EPOLLHUP comes unasked

 private:
  bool add(int descriptor, std::uint32_t what, std::uint64_t name) const {
    epoll_event event{};
    event.events = what;
    event.data.u64 = name;
    return epoll_ctl(events_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
  }

  void answer_one() {
    std::vector<std::uint64_t> memory((request_size_ + 7) / 8);  // zeroed, as the kernel wants it
    auto* request = reinterpret_cast<seccomp_notif*>(memory.data());
    if (ioctl(listener_.number(), SECCOMP_IOCTL_NOTIF_RECV, request) != 0) return;  // it waits no more
    TargetCall call(listener_.number(), *request);
    for (const auto& device : devices_)
      if (device->handle(call)) return;
    call.pass_on();
  }

  bool failed(const char* what) {
    state_.error = errno;
    state_.failed_at = what;
    state_.stage = Stage::failed;
    return false;
  }

  SharedState& state_;
  pid_t program_;
  OwnDescriptor program_descriptor_, events_, listener_;
  std::size_t request_size_ = sizeof(seccomp_notif);
  std::vector<std::unique_ptr<StandInDevice>> devices_;
};

/// Nothing of the program's terminal, pipes and files stays open here: who waits for their end waits for the program.
void leave_everything() {
  setsid();  // a terminal's interrupt is the program's affair
  prctl(PR_SET_NAME, "aesgate-standin");
  for (int i = 0; i < 3; ++i) close(i);
  for (int i = 0; i < 3; ++i) open("/dev/null", O_RDWR);
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
    for (int i = 3; i < 1024; ++i) close(i);
}

}  // namespace

void supervise(SharedState& state, pid_t program, const std::uint64_t* check_address) {
  leave_everything();
  Supervisor supervisor(state, program);
  // If the program was quick to end, its number may be another's by now: who has it, is no parent of this process.
  if (supervisor.prepare(check_address) && getppid() == program && supervisor.take_listener()) supervisor.serve();
  _exit(0);
}

}  // namespace aesgate::emulator

#endif
