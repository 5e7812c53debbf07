#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace aesgate::emulator {

/// The seccomp filter: which calls the supervisor is asked about. Anything else, and a call of another instruction
/// set's, goes to the kernel at once. What a pointer points to and which file a descriptor is, a filter cannot see.
inline std::vector<sock_filter> stand_in_filter() {
#if defined(__x86_64__)
  constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
  constexpr std::uint32_t architecture = AUDIT_ARCH_RISCV64;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
  constexpr std::uint32_t architecture = AUDIT_ARCH_PPC64LE;
#else
  constexpr std::uint32_t architecture = 0;  // none: nothing is asked about, and installing says that it does not work
#endif
  constexpr std::uint32_t sol_alg = 279;
  constexpr std::uint32_t notify = SECCOMP_RET_USER_NOTIF;
  const auto load = [](std::size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
  };
  const auto low_half = [&](unsigned argument) {
    return load(offsetof(seccomp_data, args) + 8 * argument + (std::endian::native == std::endian::little ? 0 : 4));
  };
  const auto give = [](std::uint32_t verdict) { return sock_filter{BPF_RET | BPF_K, 0, 0, verdict}; };
  const auto unless_equal_skip = [](std::uint32_t value, std::uint8_t instructions) {
    return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, instructions, value};
  };

  std::vector<sock_filter> code{load(offsetof(seccomp_data, arch)),
                                {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, architecture},
                                give(SECCOMP_RET_ALLOW),
                                load(offsetof(seccomp_data, nr))};
  const auto ask = [&](std::uint32_t call) { code.insert(code.end(), {unless_equal_skip(call, 1), give(notify)}); };
  /// Asks if the bits of an argument under a mask have a value.
  const auto ask_if = [&](std::uint32_t call, unsigned argument, std::uint32_t mask, std::uint32_t value) {
    code.insert(code.end(),
                {unless_equal_skip(call, 5), low_half(argument), sock_filter{BPF_ALU | BPF_AND | BPF_K, 0, 0, mask},
                 unless_equal_skip(value, 1), give(notify), give(SECCOMP_RET_ALLOW)});
  };
#ifdef SYS_open
  ask(SYS_open);
#endif
  ask(SYS_openat);
  ask(SYS_bind);
#ifdef SYS_accept
  ask(SYS_accept);
#endif
  ask(SYS_accept4);
  ask(SYS_sendmsg);
  ask_if(SYS_ioctl, 1, 0xff00, 'c' << 8);
  ask_if(SYS_socket, 0, ~0u, AF_ALG);
  ask_if(SYS_setsockopt, 1, ~0u, sol_alg);
  code.push_back(give(SECCOMP_RET_ALLOW));
  return code;
}

}  // namespace aesgate::emulator
