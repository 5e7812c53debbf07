#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "backends/kernel/af_alg_socket.h"
#include "backends/kernel/answers.h"
#include "core/proc_crypto.h"
#include "core/shape.h"

namespace aesgate::kernel {

/// The modes that AF_ALG has; the kernel's cfb(aes) is CFB128.
inline constexpr std::array<std::pair<Mode, const char*>, 4> af_alg_modes{
    {{Mode::ecb, "ecb(aes)"}, {Mode::cbc, "cbc(aes)"}, {Mode::cfb128, "cfb(aes)"}, {Mode::ofb, "ofb(aes)"}}};

/// Ciphers: what a backend asks the kernel for in each mode, and what the kernel said to it. For several threads.
class Ciphers {
 public:
  /// The algorithms, so that the kernel chooses a driver; or only those drivers that set_driver() names.
  explicit Ciphers(bool algorithms) {
    if (!algorithms) return;
    for (std::size_t i = 0; i < af_alg_modes.size(); ++i) names_[i] = af_alg_modes[i].second;
  }

  /// False if the mode has one already.
  bool set_driver(std::size_t mode, std::string driver) {
    if (!names_[mode].empty()) return false;
    names_[mode] = std::move(driver);
    return true;
  }

  /// The name to bind to, for a mode by its place in af_alg_modes; empty for one that was not asked for.
  [[nodiscard]] const std::string& name(std::size_t mode) const { return names_[mode]; }

  /// The name for a shape that the kernel has; null if it does not.
  [[nodiscard]] const char* find(const aesgate_shape& shape) const {
    for (std::size_t i = 0; i < af_alg_modes.size(); ++i) {
      if (af_alg_modes[i].first != Mode{shape.mode} || names_[i].empty()) continue;
      const char* name = names_[i].c_str();
      return answers_.find(i, shape.key_bits, [&] { return ask(name, shape.key_bits / 8); }) ? name : nullptr;
    }
    return nullptr;
  }

  /// Why no mode can run; empty if one can, from then on without asking again: probe() comes before every Case.
  [[nodiscard]] std::string why_unavailable() const {
    if (available_) return {};
    std::string missing;
    for (const std::string& name : names_) {
      if (name.empty()) continue;
      Descriptor socket_;
      const Refusal refusal = bind_cipher(name.c_str(), socket_);
      if (!refusal) {
        available_ = true;
        return {};
      }
      if (!socket_.is_open()) return why_no_socket(refusal);
      missing += fmt::format("{}{} ({})", missing.empty() ? "" : ", ", name, error_name(refusal.error));
    }
    return fmt::format("bind() to an AF_ALG socket failed: this kernel has none of {}, or lacks algif_skcipher",
                       missing);
  }

  /// What serves each mode and what is missing, for a person: "ECB by ecb-aes-aesni (priority 400); …". Asked once.
  [[nodiscard]] const std::string& remark() const {
    std::call_once(remarked_, [this] { remark_ = ask_for_remark(); });
    return remark_;
  }

 private:
  [[nodiscard]] std::string ask_for_remark() const {
    std::string served, missing;
    for (std::size_t i = 0; i < af_alg_modes.size(); ++i) {
      if (names_[i].empty()) continue;
      Descriptor socket_;
      const std::string_view mode = aesgate::name(af_alg_modes[i].first);
      if (const Refusal refusal = bind_cipher(names_[i].c_str(), socket_)) {
        missing +=
            fmt::format("; no {}: {} to {} failed with {}", mode, refusal.call, names_[i], error_name(refusal.error));
        continue;
      }
      // Only now, and while it is in use: the kernel makes some drivers from others when they are asked for.
      const auto drivers = kernel_drivers();
      const KernelDriver* driver = drivers ? serving_driver(*drivers, names_[i]) : nullptr;
      served += served.empty() ? "" : ", ";
      served += driver != nullptr ? fmt::format("{} by {} (priority {})", mode, driver->driver, driver->priority)
                                  : fmt::format("{} by {}", mode, names_[i]);
    }
    return served + missing;
  }

  /// Nothing where there is no AF_ALG at all, or something ran out: either may change.
  static std::optional<bool> ask(const char* name, std::size_t key_bytes) {
    Descriptor socket_;
    Refusal refusal = bind_cipher(name, socket_);
    static constexpr std::uint8_t any_key[32] = {1};
    if (!refusal) refusal = set_key(socket_, any_key, key_bytes);
    if (!refusal) return true;
    const bool lasts = refusal.error == ENOENT || refusal.error == EINVAL || refusal.error == ELIBBAD;
    if (!socket_.is_open() || !lasts) return std::nullopt;
    return false;
  }

  static std::string why_no_socket(const Refusal& refusal) {
    const std::string what = fmt::format("{} failed with {}", refusal.call, error_name(refusal.error));
    if (refusal.error == EAFNOSUPPORT)
      return what + ": this kernel has no AF_ALG (CONFIG_CRYPTO_USER_API_SKCIPHER); --emulate af_alg has a stand-in";
    if (refusal.error == EPERM || refusal.error == EACCES)
      return what + ": a seccomp filter or a security module forbids it";
    return what;
  }

  std::array<std::string, af_alg_modes.size()> names_;
  mutable std::atomic<bool> available_ = false;
  mutable std::once_flag remarked_;
  mutable std::string remark_;
  mutable Answers answers_;
};

}  // namespace aesgate::kernel
