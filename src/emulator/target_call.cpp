#include "emulator/stand_ins_built.h"

#if AESGATE_STAND_INS

#include <algorithm>
#include <cstring>

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

std::optional<std::string> TargetCall::read_text(std::uint64_t address, std::size_t most) const {
  // What is behind the text may not be there: up to the end of a page at a time.
  constexpr std::size_t page = 4096;
  std::string text;
  while (text.size() < most) {
    std::string part(std::min(most - text.size(), page - (address + text.size()) % page), '\0');
    if (!read(address + text.size(), part.data(), part.size())) return std::nullopt;
    const std::size_t end = part.find('\0');
    text += part.substr(0, end);
    if (end != std::string::npos) return text;
  }
  return std::nullopt;
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
