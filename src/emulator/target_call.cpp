#include "emulator/stand_ins_built.h"

#if AESGATE_STAND_INS

#include <algorithm>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "emulator/target_call.h"

namespace aesgate::emulator {

bool TargetCall::waits() const { return ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &request_.id) == 0; }

bool TargetCall::read(std::uint64_t address, void* to, std::size_t size) const {
  const iovec here{to, size};
  const iovec there{reinterpret_cast<void*>(address), size};
  return size == 0 ||
         process_vm_readv(static_cast<pid_t>(request_.pid), &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

bool TargetCall::write(std::uint64_t address, const void* from, std::size_t size) const {
  const iovec here{const_cast<void*>(from), size};
  const iovec there{reinterpret_cast<void*>(address), size};
  return size == 0 || (waits() && process_vm_writev(static_cast<pid_t>(request_.pid), &here, 1, &there, 1, 0) ==
                                      static_cast<ssize_t>(size));
}

bool TargetCall::has_text(std::uint64_t address, std::string_view text) const {
  // Of a shorter text, at the end of what there is, this is not all there: then it is another one.
  std::string there(text.size() + 1, '\xff');
  return read(address, there.data(), there.size()) && there.back() == '\0' &&
         std::string_view(there).substr(0, text.size()) == text;
}

std::optional<ino_t> TargetCall::socket_of(int descriptor) const {
  struct stat status {};
  if (stat(fmt::format("/proc/{}/fd/{}", request_.pid, descriptor).c_str(), &status) != 0) return std::nullopt;
  if (!S_ISSOCK(status.st_mode) || !waits()) return std::nullopt;
  return status.st_ino;
}

bool TargetCall::answer_with_descriptor(int descriptor, bool close_on_exec) {
  seccomp_notif_addfd give{};
  give.id = request_.id;
  give.flags = SECCOMP_ADDFD_FLAG_SEND;
  give.srcfd = static_cast<std::uint32_t>(descriptor);
  give.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
  if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &give) >= 0) return true;
  fail(errno);
  return false;
}

std::optional<int> TargetCall::give_descriptor(int descriptor) {
  seccomp_notif_addfd give{};
  give.id = request_.id;
  give.srcfd = static_cast<std::uint32_t>(descriptor);
  const int number = ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &give);
  if (number < 0) return std::nullopt;
  return number;
}

void TargetCall::send(std::int64_t value, std::int32_t error, std::uint32_t flags) {
  seccomp_notif_resp response{};
  response.id = request_.id;
  response.val = value;
  response.error = error;
  response.flags = flags;
  ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response);  // ENOENT: nobody waits any more
}

}  // namespace aesgate::emulator

#endif
