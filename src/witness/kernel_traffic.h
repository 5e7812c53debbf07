#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <sys/types.h>

#include "witness/traced_call.h"

namespace aesgate::witness {

/// Tries: how often something was asked of the kernel, and how it went.
struct Tries {
  std::uint64_t done = 0;
  std::map<int, std::uint64_t> failed;  // by errno

  void add(std::int64_t result);
  [[nodiscard]] std::uint64_t failures() const;
  [[nodiscard]] bool asked() const { return done != 0 || !failed.empty(); }
};

/// KernelTraffic: the system calls of a program that tell which AES it uses.
struct KernelTraffic {
  Tries af_alg_sockets;
  std::map<std::string, Tries> af_alg_binds;  // by type and name: "skcipher cbc(aes)"
  /// Calls that send data or fetch it, by the same; by "?" of sockets that came from elsewhere.
  std::map<std::string, std::uint64_t> af_alg_requests;
  Tries crypto_device;                           // opens of /dev/crypto
  std::map<std::uint32_t, Tries> crypto_ioctls;  // on /dev/crypto, by request number
  std::map<std::string, Tries> crypto_sessions;  // opened there, by cipher: "AES-CBC", "cipher 2"
  std::map<std::string, Tries> modules;          // opens of OpenSSL engines and providers, by path
  Tries ptrace_calls;                            // of the program itself, PTRACE_TRACEME too
  std::uint64_t listeners = 0;      // filters whose listener answers calls: what it answers is not seen by ours
  std::uint64_t foreign_calls = 0;  // of another system-call interface (32 bits), which are not looked at
  std::uint64_t stops = 0;          // for all of these

  /// Calls that had the kernel do AES.
  [[nodiscard]] std::uint64_t crossings() const { return af_alg_crossings() + device_crossings(); }
  [[nodiscard]] std::uint64_t af_alg_crossings() const;
  [[nodiscard]] std::uint64_t device_crossings() const;
};

/// CryptoFiles: descriptors of a process that lead to the kernel's ciphers.
struct CryptoFiles {
  std::map<int, std::string> af_alg;  // with what they are bound to, or their listener is; empty before
  std::set<int> device;               // /dev/crypto
  [[nodiscard]] bool any() const { return !af_alg.empty() || !device.empty(); }
};

/// TrafficWatch: makes KernelTraffic of the calls of threads.
class TrafficWatch {
 public:
  explicit TrafficWatch(KernelTraffic& traffic) : traffic_(&traffic) {}

  /// A thread is about to make `call`. True if its result is wanted. Fills `text` with what on_exit() needs of memory.
  [[nodiscard]] bool on_entry(pid_t process, const TracedCall& call, const CryptoFiles& files, std::string& text);
  /// It made it.
  void on_exit(const TracedCall& entry, const std::string& text, std::int64_t result, CryptoFiles& files);

 private:
  void opened(const std::string& path, std::int64_t result);

  KernelTraffic* traffic_;
};

/// Is it AES, by the kernel's or a driver's name: "skcipher cbc(aes)", "skcipher cbc-aes-aesni", "AES-CBC"?
[[nodiscard]] bool is_aes_name(const std::string& name);

/// "CIOCCRYPT" of Linux's cryptodev (crypto/cryptodev.h, type 'c'), or the number in hexadecimal.
[[nodiscard]] std::string ioctl_name(std::uint32_t request);

/// "ENOENT"; "errno 4711" of an unknown number.
[[nodiscard]] std::string errno_name(int number);

}  // namespace aesgate::witness
