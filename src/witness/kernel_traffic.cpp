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

/// Of what this process opened itself, or got from another.
bool is_open_crypto_device(pid_t process, int file, const CryptoFiles& files) {
  if (files.device.contains(file)) return true;
  std::array<char, 64> target{};
  const ssize_t size = readlink(fmt::format("/proc/{}/fd/{}", process, file).c_str(), target.data(), target.size());
  return size > 0 && is_crypto_device({target.data(), static_cast<std::size_t>(size)});
}

// Of type 'c': CIOCGSESSION, and CIOCCRYPT with its like for authenticated and asynchronous operations.
constexpr unsigned session_number = 102;
bool is_operation(std::uint32_t request) {
  const unsigned number = _IOC_NR(request);
  return number == 104 || number == 109 || number == 110;
}

/// The cipher of a session_op, its first member, as Linux's <crypto/cryptodev.h> numbers them.
std::string cipher_at(pid_t process, std::uint64_t address) {
  std::uint32_t cipher = 0;
  if (read_memory(process, address, &cipher, sizeof cipher) != sizeof cipher) return {};
  switch (cipher) {
    case 11: return "AES-CBC";
    case 23: return "AES-ECB";
    case 24: return "AES-CFB";
    case 25: return "AES-OFB";
    default: return fmt::format("cipher {}", cipher);
  }
}

/// What the socket is bound to that a call sends data to or fetches it from.
std::string name_of_request(const TracedCall& call, const CryptoFiles& files) {
  for (const std::size_t argument : {std::size_t{0}, std::size_t{2}}) {
    const auto file = files.af_alg.find(descriptor(call.values[argument]));
    if (file != files.af_alg.end() && call.number != SYS_io_submit) return file->second.empty() ? "?" : file->second;
    if (call.number != SYS_splice) break;
  }
  // io_submit() says in memory which files it is about: of several, the last that was made.
  return files.af_alg.empty() || files.af_alg.rbegin()->second.empty() ? "?" : files.af_alg.rbegin()->second;
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

std::uint64_t KernelTraffic::af_alg_crossings() const {
  std::uint64_t all = 0;
  for (const auto& [name, times] : af_alg_requests)
    if (is_aes_name(name)) all += times;
  return all;
}

std::uint64_t KernelTraffic::device_crossings() const {
  const bool has_aes = std::any_of(crypto_sessions.begin(), crypto_sessions.end(), [](const auto& session) {
    return session.second.done != 0 && is_aes_name(session.first);
  });
  std::uint64_t all = 0;
  for (const auto& [request, tries] : crypto_ioctls)
    if (has_aes && is_operation(request)) all += tries.done;
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
    case SYS_ioctl:
      if (_IOC_TYPE(values[1]) != 'c' || !is_open_crypto_device(process, descriptor(values[0]), files)) return false;
      text = _IOC_NR(values[1]) == session_number ? cipher_at(process, values[2]) : std::string();
      return true;
    case SYS_ptrace: return true;
    case SYS_seccomp:
      return values[0] == SECCOMP_SET_MODE_FILTER && (values[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
    default: break;
  }
  if (!files.any()) return false;
  if (number == SYS_splice)
    return files.af_alg.contains(descriptor(values[0])) || files.af_alg.contains(descriptor(values[2]));
  if (number == SYS_io_submit) return !files.af_alg.empty();
  if (number == SYS_accept || number == SYS_accept4 || number == SYS_close || is_duplication(number) ||
      moves_data(number))
    return files.af_alg.contains(descriptor(values[0])) || files.device.contains(descriptor(values[0]));
  return false;
}

void TrafficWatch::on_exit(const TracedCall& entry, const std::string& text, std::int64_t result, CryptoFiles& files) {
  const auto& values = entry.values;
  const int file = descriptor(values[0]), made = static_cast<int>(result);
  const bool well = result >= 0;
  if (is_open(entry.number)) {
    if (well && is_crypto_device(text)) files.device.insert(made);
    return opened(text, result);
  }
  switch (entry.number) {
    case SYS_socket:
      traffic_->af_alg_sockets.add(result);
      if (well) files.af_alg[made];
      return;
    case SYS_bind:
      traffic_->af_alg_binds[text].add(result);
      if (well) files.af_alg[file] = text;
      return;
    case SYS_ioctl:
      traffic_->crypto_ioctls[static_cast<std::uint32_t>(values[1])].add(result);
      if (!text.empty()) traffic_->crypto_sessions[text].add(result);
      return;
    case SYS_ptrace: return traffic_->ptrace_calls.add(result);
    case SYS_seccomp: traffic_->listeners += well; return;
    case SYS_close:
      files.af_alg.erase(file);
      files.device.erase(file);
      return;
    default: break;
  }
  if (!well) return;
  const auto from = files.af_alg.find(file);
  const bool makes_another = entry.number == SYS_accept || entry.number == SYS_accept4 || is_duplication(entry.number);
  if (!makes_another) {
    if (files.device.contains(file)) return;
    ++traffic_->af_alg_requests[name_of_request(entry, files)];
  } else if (from != files.af_alg.end()) {
    files.af_alg[made] = from->second;
  } else {
    files.device.insert(made);
  }
}

void TrafficWatch::opened(const std::string& path, std::int64_t result) {
  if (is_crypto_device(path)) traffic_->crypto_device.add(result);
  if (is_module(path)) traffic_->modules[path].add(result);
}

bool is_aes_name(const std::string& name) { return name.find("aes") != name.npos || name.find("AES") != name.npos; }

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
