#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#if defined(__linux__)
#include <linux/audit.h>
#endif

namespace aesgate::witness {

/// The system-call interface that this program is compiled for (AUDIT_ARCH_…); 0 where it is not known here.
inline constexpr std::uint32_t native_architecture =
#if defined(__linux__) && defined(__x86_64__) && !defined(__ILP32__)
    AUDIT_ARCH_X86_64;
#elif defined(__linux__) && defined(__aarch64__) && defined(__LITTLE_ENDIAN__)
    AUDIT_ARCH_AARCH64;
#elif defined(__linux__) && defined(__aarch64__)
    AUDIT_ARCH_AARCH64;
#elif defined(__linux__) && defined(__riscv) && __riscv_xlen == 64
    AUDIT_ARCH_RISCV64;
#elif defined(__linux__) && defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    AUDIT_ARCH_PPC64LE;
#elif defined(__linux__) && defined(__s390x__)
    AUDIT_ARCH_S390X;
#else
    0;
#endif

/// Calls of x86-64 with this bit are of another interface, x32, with other arguments.
inline constexpr std::uint32_t x32_bit = 0x4000'0000;

/// TracedCall: a system call of a thread that stopped for it.
struct TracedCall {
  enum class At { entry, exit };
  At at = At::entry;
  bool native = true;                     // of native_architecture: the number means what SYS_… says
  std::uint64_t number = 0;               // at entry
  std::array<std::uint64_t, 6> values{};  // at entry: its arguments
  std::int64_t result = 0;                // at exit: −errno if it failed
};

/// What a thread that is in a system-call stop (PTRACE_EVENT_SECCOMP, or TRACESYSGOOD's) is doing; nothing where the
/// kernel does not tell, which is before Linux 5.3.
[[nodiscard]] std::optional<TracedCall> read_call(pid_t thread);

/// Does the kernel tell of the calls of a thread that has stopped, for whatever reason?
[[nodiscard]] bool tells_of_calls(pid_t thread);

/// Up to `size` bytes of a stopped process's memory; as many as could be read.
[[nodiscard]] std::size_t read_memory(pid_t process, std::uint64_t address, void* to, std::size_t size);

/// The text at an address, up to its end or PATH_MAX; empty if it cannot be read.
[[nodiscard]] std::string read_text(pid_t process, std::uint64_t address);

}  // namespace aesgate::witness
