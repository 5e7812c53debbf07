#include "witness/call_filter.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "witness/traced_call.h"

namespace aesgate::witness {

#if defined(__linux__)
namespace {

constexpr std::uint32_t low_half(std::size_t argument) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * argument);
#else
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * argument + 4);
#endif
}

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
sock_filter give(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
/// The next `skip` are skipped unless what was loaded is `value`.
sock_filter unless_equal(std::uint32_t value, std::uint8_t skip) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
}

std::vector<sock_filter> program() {
  std::vector<sock_filter> code{load(offsetof(seccomp_data, arch)), unless_equal(native_architecture, 1),
                                load(offsetof(seccomp_data, nr)), give(SECCOMP_RET_ALLOW)};
  // A foreign call goes to the last instruction, a native one to what is inserted before it.
  std::vector<sock_filter> native;
  const auto stop_at = [&](long number) {
    native.insert(native.end(), {unless_equal(static_cast<std::uint32_t>(number), 1), give(SECCOMP_RET_TRACE)});
  };
  const auto stop_if = [&](long number, std::uint32_t argument, std::uint32_t mask, std::uint32_t value) {
    native.insert(native.end(), {unless_equal(static_cast<std::uint32_t>(number), 5), load(low_half(argument)),
                                 BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask), unless_equal(value, 1),
                                 give(SECCOMP_RET_TRACE), give(SECCOMP_RET_ALLOW)});
  };
  for (const long number : {
#if defined(SYS_open)
         static_cast<long>(SYS_open),
#endif
             static_cast<long>(SYS_openat), static_cast<long>(SYS_bind), static_cast<long>(SYS_ptrace)
       })
    stop_at(number);
#if defined(SYS_openat2)
  stop_at(SYS_openat2);
#endif
  stop_if(SYS_socket, 0, ~0u, AF_ALG);
  stop_if(SYS_ioctl, 1, 0xff00u, std::uint32_t{'c'} << 8);
  stop_if(SYS_seccomp, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  code[1] = unless_equal(native_architecture, static_cast<std::uint8_t>(1 + native.size()));
  code.insert(code.begin() + 3, native.begin(), native.end());
  return code;
}

}  // namespace

int install_call_filter(bool& keeps_privileges) {
  if (native_architecture == 0) return ENOSYS;
  std::vector<sock_filter> code = program();
  const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  keeps_privileges = true;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0) return 0;
  if (errno != EACCES) return errno;
  keeps_privileges = false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}
#else
int install_call_filter(bool&) { return ENOSYS; }
#endif

}  // namespace aesgate::witness
