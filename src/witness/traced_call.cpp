#include "witness/traced_call.h"

#include <algorithm>
#include <array>
#include <climits>

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

namespace aesgate::witness {

namespace {

/// ptrace(2), PTRACE_GET_SYSCALL_INFO; the structure has another name in each C library.
struct Info {
  std::uint8_t op;
  std::uint8_t padding[3];
  std::uint32_t architecture;
  std::uint64_t instruction, stack;
  union {
    struct {
      std::uint64_t number, values[6], filter_data;
    } entry;
    struct {
      std::int64_t result;
      std::uint8_t is_error;
    } exit;
  };
};
enum : std::uint8_t { at_entry = 1, at_exit = 2, at_filter = 3 };

bool ask(pid_t thread, Info& info) {
  constexpr int get_syscall_info = 0x420e;
  return ptrace(static_cast<__ptrace_request>(get_syscall_info), thread, sizeof info, &info) > 0;
}

}  // namespace

bool tells_of_calls(pid_t thread) {
  Info info{};
  return ask(thread, info);
}

std::optional<TracedCall> read_call(pid_t thread) {
  Info info{};
  if (!ask(thread, info)) return std::nullopt;
  TracedCall call;
  if (info.op == at_exit) {
    call.at = TracedCall::At::exit;
    call.result = info.exit.result;
    return call;
  }
  if (info.op != at_entry && info.op != at_filter) return std::nullopt;
  call.native = info.architecture == native_architecture &&
                (native_architecture != AUDIT_ARCH_X86_64 || info.entry.number < x32_bit);
  call.number = info.entry.number;
  std::copy_n(info.entry.values, call.values.size(), call.values.begin());
  return call;
}

std::size_t read_memory(pid_t process, std::uint64_t address, void* to, std::size_t size) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  // Two pages at most, each a part of its own: what is readable of the first counts, whatever the second is.
  const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(size, page - address % page));
  const iovec local{to, size};
  const std::array<iovec, 2> remote{iovec{reinterpret_cast<void*>(address), first},
                                    iovec{reinterpret_cast<void*>(address + first), size - first}};
  const ssize_t got = process_vm_readv(process, &local, 1, remote.data(), size > first ? 2 : 1, 0);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

std::string read_text(pid_t process, std::uint64_t address) {
  std::string text;
  std::array<char, 256> part{};
  while (text.size() < PATH_MAX) {
    const std::size_t got = read_memory(process, address + text.size(), part.data(), part.size());
    const auto end = std::find(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got), '\0');
    text.append(part.begin(), end);
    if (end != part.begin() + static_cast<std::ptrdiff_t>(got)) return text;
    if (got < part.size()) break;
  }
  return {};
}

}  // namespace aesgate::witness
