#include "witness/kernel_traffic.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <linux/if_alg.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text_file.h"

namespace aesgate::witness {
namespace {

int descriptor(std::uint64_t value) { return static_cast<int>(value); }

bool is_open(std::uint64_t number) {
#if defined(SYS_open)
  if (number == SYS_open) return true;
#endif
#if defined(SYS_openat2)
  if (number == SYS_openat2) return true;
#endif
  return number == SYS_openat;
}

bool is_duplication(std::uint64_t number) {
#if defined(SYS_dup2)
  if (number == SYS_dup2) return true;
#endif
  return number == SYS_dup || number == SYS_dup3;
}

/// Calls whose first argument is the descriptor that data goes to or comes from.
bool moves_data(std::uint64_t number) {
  switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_readv:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg: return true;
    default: return false;
  }
}

bool is_crypto_device(const std::string& path) { return path == "/dev/crypto"; }

bool is_open_crypto_device(pid_t process, int file) {
  std::array<char, 64> target{};
  const ssize_t size = readlink(fmt::format("/proc/{}/fd/{}", process, file).c_str(), target.data(), target.size());
  return size > 0 && is_crypto_device({target.data(), static_cast<std::size_t>(size)});
}

bool is_module(std::string_view path) {
  return path.ends_with(".so") && (path.find("/engines-") != path.npos || path.find("/ossl-modules/") != path.npos);
}

/// "skcipher cbc(aes)" of a sockaddr_alg; empty if it is another family's.
std::string algorithm_at(pid_t process, std::uint64_t address, std::uint64_t size) {
  sockaddr_alg name{};
  const std::size_t wanted = std::min<std::uint64_t>(size, sizeof name);
  if (read_memory(process, address, &name, wanted) < offsetof(sockaddr_alg, salg_name) || name.salg_family != AF_ALG)
    return {};
  const auto text = [](const unsigned char* bytes, std::size_t most) {
    const auto* const characters = reinterpret_cast<const char*>(bytes);
    return said({characters, most});
  };
  return fmt::format("{} {}", text(name.salg_type, sizeof name.salg_type), text(name.salg_name, sizeof name.salg_name));
}

}  // namespace

void Tries::add(std::int64_t result) {
  if (result < 0)
    ++failed[static_cast<int>(-result)];
  else
    ++done;
}

std::uint64_t Tries::failures() const {
  std::uint64_t all = 0;
  for (const auto& [number, times] : failed) all += times;
  return all;
}

std::uint64_t KernelTraffic::crossings() const {
  std::uint64_t all = af_alg_requests;
  for (const auto& [request, tries] : crypto_ioctls) all += tries.done;
  return all;
}

bool TrafficWatch::on_entry(pid_t process, const TracedCall& call, const CryptoFiles& files, std::string& text) {
  if (!call.native) {
    ++traffic_->foreign_calls;
    return false;
  }
  const auto& values = call.values;
  const std::uint64_t number = call.number;
  if (is_open(number)) {
#if defined(SYS_open)
    text = read_text(process, values[number == SYS_open ? 0 : 1]);
#else
    text = read_text(process, values[1]);
#endif
    return is_crypto_device(text) || is_module(text);
  }
  switch (number) {
    case SYS_socket: return values[0] == AF_ALG;
    case SYS_bind: return !(text = algorithm_at(process, values[1], values[2])).empty();
    case SYS_ioctl: return _IOC_TYPE(values[1]) == 'c' && is_open_crypto_device(process, descriptor(values[0]));
    case SYS_ptrace: return true;
    case SYS_seccomp:
      return values[0] == SECCOMP_SET_MODE_FILTER && (values[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
    default: break;
  }
  if (!files.any()) return false;
  if (number == SYS_splice)
    return files.af_alg.contains(descriptor(values[0])) || files.af_alg.contains(descriptor(values[2]));
  if (number == SYS_io_submit) return true;
  if (number == SYS_accept || number == SYS_accept4 || number == SYS_close || is_duplication(number) ||
      moves_data(number))
    return files.af_alg.contains(descriptor(values[0]));
  return false;
}

void TrafficWatch::on_exit(const TracedCall& entry, const std::string& text, std::int64_t result, CryptoFiles& files) {
  const auto& values = entry.values;
  if (is_open(entry.number)) return opened(text, result);
  switch (entry.number) {
    case SYS_socket:
      traffic_->af_alg_sockets.add(result);
      if (result >= 0) files.af_alg.insert(static_cast<int>(result));
      return;
    case SYS_bind: return traffic_->af_alg_binds[text].add(result);
    case SYS_ioctl: return traffic_->crypto_ioctls[static_cast<std::uint32_t>(values[1])].add(result);
    case SYS_ptrace: return traffic_->ptrace_calls.add(result);
    case SYS_seccomp: traffic_->listeners += result >= 0; return;
    case SYS_close: files.af_alg.erase(descriptor(values[0])); return;
    case SYS_accept:
    case SYS_accept4:
      if (result >= 0) files.af_alg.insert(static_cast<int>(result));
      return;
    default: break;
  }
  if (is_duplication(entry.number)) {
    if (result >= 0) files.af_alg.insert(static_cast<int>(result));
    return;
  }
  if (result >= 0) ++traffic_->af_alg_requests;
}

void TrafficWatch::opened(const std::string& path, std::int64_t result) {
  if (is_crypto_device(path)) traffic_->crypto_device.add(result);
  if (is_module(path)) traffic_->modules[path].add(result);
}

std::string ioctl_name(std::uint32_t request) {
  static constexpr std::array<std::pair<unsigned, const char*>, 10> names{{{101, "CRIOGET"},
                                                                           {102, "CIOCGSESSION"},
                                                                           {103, "CIOCFSESSION"},
                                                                           {104, "CIOCCRYPT"},
                                                                           {105, "CIOCKEY"},
                                                                           {106, "CIOCASYMFEAT"},
                                                                           {107, "CIOCGSESSINFO"},
                                                                           {109, "CIOCAUTHCRYPT"},
                                                                           {110, "CIOCASYNCCRYPT"},
                                                                           {111, "CIOCASYNCFETCH"}}};
  for (const auto& [number, name] : names)
    if (_IOC_TYPE(request) == 'c' && _IOC_NR(request) == number) return name;
  return fmt::format("{:#x}", request);
}

std::string errno_name(int number) {
  const char* const name = strerrorname_np(number);
  return name != nullptr ? name : fmt::format("errno {}", number);
}

}  // namespace aesgate::witness
