#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/syscall.h>

#include "emulator/stand_in_cipher.h"
#include "emulator/stand_in_objects.h"

// What the two /dev/crypto have in common; cryptodev_linux.cpp and cryptodev_bsd.cpp add the numbers and structs.
namespace aesgate::emulator {

/// CryptoRequest: CIOCCRYPT without the differences. Addresses are the program's; 0 is null.
struct CryptoRequest {
  std::uint32_t session = 0;
  Direction direction = Direction::encrypt;
  std::uint32_t length = 0;
  std::uint64_t source = 0, target = 0, iv = 0;
  bool writes_iv = false;
};

class CryptodevDevice : public StandInDevice {
 public:
  CryptodevDevice(SharedState& state, Watch& watch, StandIn which)
      : state_(state), which_(which), files_(state, watch) {}

  bool handle(TargetCall& call) override {
    if (!state_.is_enabled(which_)) return false;
    switch (call.number()) {
      case SYS_openat: return open(call, call.argument(1), call.int_argument(2));
#ifdef SYS_open
      case SYS_open: return open(call, call.argument(0), call.int_argument(1));
#endif
      case SYS_ioctl: return ioctl(call);
      default: return false;
    }
  }

  void closed(ino_t object) override { files_.forget(object); }

 protected:
  static constexpr unsigned first_session = 0x1001;

  struct Session {
    StandInCipher cipher;
    Block iv{};  // for requests that bring none
  };

  /// The sessions of an open device; they end with it.
  class File {
   public:
    explicit File(SharedState* state) : state_(state) {}
    File(File&& other) noexcept : state_(other.state_), sessions_(std::move(other.sessions_)) {
      other.sessions_.clear();
    }
    File& operator=(File&&) = delete;
    ~File() { state_->sessions -= static_cast<std::int64_t>(sessions_.size()); }

    void add(std::uint32_t number, Session session) {
      sessions_.emplace(number, std::move(session));
      ++state_->sessions;
    }
    bool remove(std::uint32_t number) {
      if (sessions_.erase(number) == 0) return false;
      --state_->sessions;
      return true;
    }
    Session* find(std::uint32_t number) {
      const auto found = sessions_.find(number);
      return found == sessions_.end() ? nullptr : &found->second;
    }

   private:
    SharedState* state_;
    std::map<std::uint32_t, Session> sessions_;
  };

  /// Answers a request of the interface's; false for what is none.
  virtual bool answer_ioctl(TargetCall& call, File& file, unsigned request) = 0;
  /// What happens where a request brings no IV, with the data in hand; 0 or an errno.
  virtual int missing_iv(Session& session, const Bytes& data, Block& iv) = 0;
  /// Of a request, in bytes.
  [[nodiscard]] virtual std::uint32_t most_bytes() const = 0;

  static bool refuse(TargetCall& call, int error) {
    call.fail(error);
    return true;
  }

  /// Opens a session with a key that is in the program's memory. The number, or an errno.
  int open_session(const TargetCall& call, File& file, std::optional<Mode> mode, std::uint32_t mac, std::uint64_t key,
                   std::uint32_t key_length, std::uint32_t& number) {
    if (state_.misbehaves(Misbehaviour::gone)) return ENXIO;
    if (state_.misbehaves(Misbehaviour::busy)) return EBUSY;
    if (!mode || mac != 0 || key_length > 32) return EINVAL;
    Bytes bytes(key_length);
    if (!call.read(key, bytes.data(), bytes.size())) return EFAULT;
    Result<Key> taken = Key::from(bytes);
    wipe(bytes.data(), bytes.size());
    if (!taken || state_.misbehaves(Misbehaviour::refuses_key)) return EINVAL;
    number = next_session_++;
    file.add(number, Session{StandInCipher(*mode, *std::move(taken))});
    return 0;
  }

  bool crypt(TargetCall& call, File& file, const CryptoRequest& request) {
    if (state_.misbehaves(Misbehaviour::gone)) return refuse(call, ENXIO);
    Session* session = file.find(request.session);
    // A zero length was an error of this driver's in one version or another of each.
    if (session == nullptr || request.length == 0 || request.length > most_bytes()) return refuse(call, EINVAL);
    Bytes data(request.length);
    if (!call.read(request.source, data.data(), data.size())) return refuse(call, EFAULT);
    Block iv{};
    if (has_iv(session->cipher.mode())) {
      if (request.iv == 0) {
        if (const int error = missing_iv(*session, data, iv); error != 0) return refuse(call, error);
      } else if (!call.read(request.iv, iv)) {
        return refuse(call, EFAULT);
      }
    }
    if (!session->cipher.run(request.direction, iv, data)) return refuse(call, EINVAL);
    session->iv = iv;
    if (state_.misbehaves(Misbehaviour::wrong_data)) data[data.size() / 2] ^= 0x10;
    if (state_.misbehaves(Misbehaviour::wrong_iv)) iv[5] ^= 0x01;
    if (state_.misbehaves(Misbehaviour::short_result))
      data.resize(data.size() - std::min<std::size_t>(data.size(), 16));
    if (!call.write(request.target, data.data(), data.size())) return refuse(call, EFAULT);
    if (request.writes_iv && request.iv != 0 && !call.write(request.iv, iv)) return refuse(call, EFAULT);
    call.answer(0);
    return true;
  }

  /// CRIOGET: another descriptor, with sessions of its own.
  bool give_clone(TargetCall& call, std::uint64_t address) {
    const auto number = files_.give_new(call, File(&state_));
    if (!number) return refuse(call, ENFILE);
    if (!call.write(address, static_cast<std::uint32_t>(*number))) return refuse(call, EFAULT);
    call.answer(0);
    return true;
  }

  SharedState& state_;

 private:
  bool open(TargetCall& call, std::uint64_t path, int flags) {
    if (!call.has_text(path, "/dev/crypto")) return false;
    state_.count(Counted::open);
    if (state_.misbehaves(Misbehaviour::gone)) return refuse(call, ENOENT);
    files_.answer_with_new(call, (flags & O_CLOEXEC) != 0, File(&state_));
    return true;
  }

  bool ioctl(TargetCall& call) {
    auto* entry = files_.find(call, call.int_argument(0));
    if (entry == nullptr) return false;
    const auto request = static_cast<unsigned>(call.argument(1));
    ++state_.ioctls[request & 0xff];
    if (!answer_ioctl(call, entry->value, request)) call.fail(ENOTTY);
    return true;
  }

  StandIn which_;
  Objects<File> files_;
  std::uint32_t next_session_ = first_session;
};

}  // namespace aesgate::emulator
