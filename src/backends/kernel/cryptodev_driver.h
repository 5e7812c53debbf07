#pragma once

// The driver of /dev/crypto, for a file that has included the interface it is compiled against: the system's
// <crypto/cryptodev.h>, or in tests one of the two in emulator/. All in an unnamed namespace: what it means depends on
// that interface, whose requests, numbers and structs differ under the same names.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "backends/kernel/answers.h"
#include "backends/kernel/kernel_backend.h"
#include "backends/kernel/message.h"
#include "core/shape.h"

namespace aesgate::kernel {
namespace {

// cryptodev-linux has modes that BSD's lack, as enumerators, and what else it has more follows from CIOCGSESSINFO.
#ifdef CIOCGSESSINFO
inline constexpr std::array<std::pair<Mode, std::uint32_t>, 4> device_modes{{{Mode::ecb, CRYPTO_AES_ECB},
                                                                             {Mode::cbc, CRYPTO_AES_CBC},
                                                                             {Mode::cfb128, CRYPTO_AES_CFB},
                                                                             {Mode::ofb, CRYPTO_AES_OFB}}};
#else
inline constexpr std::array<std::pair<Mode, std::uint32_t>, 1> device_modes{{{Mode::cbc, CRYPTO_AES_CBC}}};
#endif

/// Puts an address into a field that is a pointer to void, char or unsigned char, const or not, in one interface or
/// another.
template <typename T>
void point(T*& field, const void* address) {
  field = static_cast<T*>(const_cast<void*>(address));
}

/// DeviceRefusal: which request did not work, and what the kernel said.
struct DeviceRefusal {
  const char* call = "";
  int error = 0;  // of errno; 0: there is no refusal

  explicit operator bool() const { return error != 0; }
};

/// DeviceSession: the device, opened, with a session for a cipher and a key. A Device of message.h.
class DeviceSession {
 public:
  DeviceSession() noexcept = default;
  DeviceSession(DeviceSession&&) = delete;
  ~DeviceSession() {
    if (has_session_) uninterrupted([this] { return ioctl(device_.number(), CIOCFSESSION, &session_); });
    wipe(next_iv_.data(), next_iv_.size());
  }

  DeviceRefusal open(std::uint32_t cipher, bool has_iv, bool decrypts, const std::uint8_t* key,
                     std::uint32_t key_bytes) {
    if (const DeviceRefusal refusal = open_device()) return refusal;
    has_iv_ = has_iv;
    operation_ = static_cast<std::uint16_t>(decrypts ? COP_DECRYPT : COP_ENCRYPT);
#ifdef CIOCGSESSION2
    session2_op asked{};
    asked.crid = CRYPTO_FLAG_HARDWARE | CRYPTO_FLAG_SOFTWARE;  // what the system prefers, and allows
    const DeviceRefusal refusal = ask_for_session(CIOCGSESSION2, "ioctl(CIOCGSESSION2)", asked, cipher, key, key_bytes);
    driver_ = asked.crid;
#else
    session_op asked{};
    const DeviceRefusal refusal = ask_for_session(CIOCGSESSION, "ioctl(CIOCGSESSION)", asked, cipher, key, key_bytes);
#endif
    return refusal;
  }

  /// NetBSD took 256 KiB less 4 at most.
  [[nodiscard]] std::size_t most_bytes() const { return 128u << 10; }

  /// In and out go to the kernel as they are, whatever their alignment. The IV is always given: without it, BSD takes
  /// the first block of the data, and Linux what the session has.
  bool run(const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    crypt_op request{};
    request.ses = session_;
    request.op = operation_;
    request.len = static_cast<decltype(request.len)>(length);
    point(request.src, in);
    point(request.dst, out);
    if (has_iv_) {
      std::copy_n(iv, block_bytes, next_iv_.begin());
      point(request.iv, next_iv_.data());
#ifdef CIOCGSESSINFO
      request.flags = COP_FLAG_WRITE_IV;
#endif
    }
    return uninterrupted([&] { return ioctl(device_.number(), CIOCCRYPT, &request); }) == 0;
  }

#ifdef CIOCGSESSINFO
  [[nodiscard]] bool handed_back(const std::uint8_t* next) const {
    return std::memcmp(next_iv_.data(), next, block_bytes) == 0;
  }
#endif

  /// Who serves the session, in the kernel's words; empty if it does not say.
  [[nodiscard]] std::string driver() const {
#if defined(CIOCGSESSINFO)
    session_info_op info{};
    info.ses = session_;
    if (ioctl(device_.number(), CIOCGSESSINFO, &info) != 0) return {};
    info.cipher_info.cra_driver_name[sizeof info.cipher_info.cra_driver_name - 1] = '\0';
    return fmt::format("{}{}", info.cipher_info.cra_driver_name,
                       (info.flags & SIOP_FLAG_KERNEL_DRIVER_ONLY) != 0 ? " (hardware)" : "");
#elif defined(CIOCFINDDEV)
    crypt_find_op find{};
    find.crid = driver_;
    if (ioctl(device_.number(), CIOCFINDDEV, &find) != 0) return {};
    find.name[sizeof find.name - 1] = '\0';
    return fmt::format("{}{}", find.name, (driver_ & CRYPTO_FLAG_HARDWARE) != 0 ? " (hardware)" : "");
#else
    return {};
#endif
  }

 private:
  DeviceRefusal open_device() {
    device_ = Descriptor(uninterrupted([] { return ::open("/dev/crypto", O_RDWR | O_CLOEXEC); }));
    if (!device_.is_open()) return {"open(/dev/crypto)", errno};
#if defined(CRIOGET) && !defined(CIOCGSESSINFO)
    // Older BSDs keep sessions with a descriptor that this gives; where it is obsolete, the device does for itself.
    std::uint32_t clone = 0;
    if (uninterrupted([&] { return ioctl(device_.number(), CRIOGET, &clone); }) == 0) {
      device_ = Descriptor(static_cast<int>(clone));
      fcntl(device_.number(), F_SETFD, FD_CLOEXEC);
    }
#endif
    return {};
  }

  template <typename Session>
  DeviceRefusal ask_for_session(unsigned long request, const char* call, Session& asked, std::uint32_t cipher,
                                const std::uint8_t* key, std::uint32_t key_bytes) {
    asked.cipher = cipher;
    asked.keylen = key_bytes;
    point(asked.key, key);
    if (uninterrupted([&] { return ioctl(device_.number(), request, &asked); }) != 0) return {call, errno};
    session_ = asked.ses;
    has_session_ = true;
    return {};
  }

  Descriptor device_;
  bool has_session_ = false;
  bool has_iv_ = false;
  std::uint16_t operation_ = COP_ENCRYPT;
  decltype(crypt_op::ses) session_ = 0;
  [[maybe_unused]] int driver_ = 0;
  std::array<std::uint8_t, block_bytes> next_iv_{};
};

/// DeviceCiphers: what the device said that it has. For several threads.
class DeviceCiphers {
 public:
  /// The device's number of the cipher for a shape that it has; nothing if it does not.
  std::optional<std::uint32_t> find(const aesgate_shape& shape) {
    for (std::size_t i = 0; i < device_modes.size(); ++i) {
      const auto& [mode, cipher] = device_modes[i];
      if (mode != Mode{shape.mode}) continue;
      const auto ask = [&, number = cipher] { return has(number, shape.key_bits / 8); };
      return answers_.find(i, shape.key_bits, ask) ? std::optional(cipher) : std::nullopt;
    }
    return std::nullopt;
  }

  /// Why nothing can run; empty if something can, from then on without asking again.
  std::string why_unavailable() {
    if (available_) return {};
    std::string why;
    for (const auto& [mode, cipher] : device_modes) {
      DeviceSession session;
      const DeviceRefusal refusal = try_out(session, cipher, 16);
      if (!refusal) {
        available_ = true;
        return {};
      }
      why = fmt::format("{} failed with {}", refusal.call, error_name(refusal.error));
    }
    return why;
  }

  /// "ECB by ecb-aes-caam (hardware), …; no OFB: ioctl(CIOCGSESSION) failed with EINVAL". Asked once.
  const std::string& remark() {
    std::call_once(remarked_, [this] {
      std::string missing;
      for (const auto& [mode, cipher] : device_modes) {
        DeviceSession session;
        const std::string_view word = name(mode);
        if (const DeviceRefusal refusal = try_out(session, cipher, 16))
          missing += fmt::format("; no {}: {} failed with {}", word, refusal.call, error_name(refusal.error));
        else if (const std::string driver = session.driver(); !driver.empty())
          remark_ += fmt::format("{}{} by {}", remark_.empty() ? "" : ", ", word, driver);
      }
      remark_ += missing;
    });
    return remark_;
  }

 private:
  static DeviceRefusal try_out(DeviceSession& session, std::uint32_t cipher, std::uint32_t key_bytes) {
    static constexpr std::uint8_t any_key[32] = {1};
    return session.open(cipher, true, false, any_key, key_bytes);
  }

  static std::optional<bool> has(std::uint32_t cipher, std::uint32_t key_bytes) {
    DeviceSession session;
    const DeviceRefusal refusal = try_out(session, cipher, key_bytes);
    if (!refusal) return true;
    if (refusal.error == EINVAL || refusal.error == ENOENT || refusal.error == EOPNOTSUPP) return false;
    return std::nullopt;
  }

  Answers answers_;
  std::atomic<bool> available_ = false;
  std::once_flag remarked_;
  std::string remark_;
};

inline DeviceCiphers& device_ciphers() {
  static DeviceCiphers ciphers;
  return ciphers;
}

/// The Context of kernel_backend(). `Gate`: why this form may not be used here; empty if it may.
template <std::string (*Gate)()>
struct DeviceContext {
  DeviceSession session;
  Message message;

  DeviceContext() noexcept = default;

  static int probe(const aesgate_backend*, char* reason, std::size_t size) {
    return library::guarded([&] {
      std::string why = Gate();
      if (why.empty()) why = device_ciphers().why_unavailable();
      if (size > 0) explain(why.empty() ? device_ciphers().remark() : why, reason, size);
      return why.empty() ? AESGATE_OK : AESGATE_UNAVAILABLE;
    });
  }

  static bool process(DeviceContext& c, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    return c.message.update(c.session, in, out, length) == AESGATE_OK;
  }

  static aesgate_update_fn update_for(const aesgate_backend&, const aesgate_shape& shape) {
    if (Gate().empty() ? !device_ciphers().find(shape) : !may_have(shape)) return nullptr;
    return is_block_mode(Mode{shape.mode}) ? library::update_blocks<DeviceContext, process>
                                           : library::update_any<DeviceContext, process>;
  }

  /// Where there is no device to ask.
  static bool may_have(const aesgate_shape& shape) {
    return std::ranges::any_of(device_modes, [&](const auto& known) { return known.first == Mode{shape.mode}; });
  }

  int start(const aesgate_backend&, const aesgate_shape& shape, const std::uint8_t* key, const std::uint8_t* iv) {
    const bool decrypts = shape.direction == AESGATE_DECRYPT;
    message.begin(shape.mode, decrypts, iv);
    const auto cipher = Gate().empty() ? device_ciphers().find(shape) : std::nullopt;
    if (!cipher) return AESGATE_UNAVAILABLE;
    const DeviceRefusal refusal = session.open(*cipher, shape.mode != AESGATE_ECB, decrypts, key, shape.key_bits / 8);
    if (!refusal) return AESGATE_OK;
    return refusal.error == ENOENT || refusal.error == ENXIO || refusal.error == ENODEV ? AESGATE_UNAVAILABLE
                                                                                        : AESGATE_FAILED;
  }

  int restart(const std::uint8_t* iv) {
    message.begin(message.mode(), message.decrypts(), iv);
    return AESGATE_OK;
  }

  int chaining_value(std::uint8_t* iv) const { return message.chaining_value(iv); }
};

}  // namespace
}  // namespace aesgate::kernel
