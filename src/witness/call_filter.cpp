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

/// Rules: what happens at calls by their number.
class Rules {
 public:
  void stop_at(long number) {
    code_.insert(code_.end(), {unless_equal(static_cast<std::uint32_t>(number), 1), give(SECCOMP_RET_TRACE)});
  }

  /// If the bits of `mask` in an argument's lower half are `value`.
  void stop_if(long number, std::uint32_t argument, std::uint32_t mask, std::uint32_t value) {
    code_.insert(code_.end(), {unless_equal(static_cast<std::uint32_t>(number), 5), load(low_half(argument)),
                               BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask), unless_equal(value, 1),
                               give(SECCOMP_RET_TRACE), give(SECCOMP_RET_ALLOW)});
  }

  void stop_from(std::uint32_t number) {
    code_.insert(code_.end(), {BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, number, 0, 1), give(SECCOMP_RET_TRACE)});
  }

  void end(std::uint32_t action) { code_.push_back(give(action)); }

  [[nodiscard]] const std::vector<sock_filter>& code() const { return code_; }

 private:
  std::vector<sock_filter> code_{load(offsetof(seccomp_data, nr))};
};

Rules native_rules() {
  Rules rules;
#if defined(__x86_64__)
  rules.stop_from(x32_bit);
#endif
#if defined(SYS_open)
  rules.stop_at(SYS_open);
#endif
#if defined(SYS_openat2)
  rules.stop_at(SYS_openat2);
#endif
  for (const long number : {SYS_openat, SYS_bind, SYS_ptrace}) rules.stop_at(number);
  rules.stop_if(SYS_socket, 0, ~0u, AF_ALG);
  rules.stop_if(SYS_ioctl, 1, 0xff00u, std::uint32_t{'c'} << 8);
  rules.stop_if(SYS_seccomp, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  rules.end(SECCOMP_RET_ALLOW);
  return rules;
}

/// That there are such calls is all that is told of them.
Rules foreign_rules() {
  Rules rules;
#if defined(__x86_64__)
  // i386's open(), ioctl(), socketcall(), openat() and socket(), which a program in C makes before it does anything.
  for (const long number : {5, 54, 102, 295, 359}) rules.stop_at(number);
  rules.end(SECCOMP_RET_ALLOW);
#else
  rules.end(SECCOMP_RET_TRACE);
#endif
  return rules;
}

std::vector<sock_filter> program() {
  const std::vector<sock_filter> foreign = foreign_rules().code(), native = native_rules().code();
  std::vector<sock_filter> code{
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, native_architecture, static_cast<std::uint8_t>(foreign.size()), 0)};
  code.insert(code.end(), foreign.begin(), foreign.end());
  code.insert(code.end(), native.begin(), native.end());
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
