#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "core/secret.h"
#include "core/session.h"
#include "oracle/oracle.h"

namespace aesgate::emulator {

/// StandInCipher: AES with one key in one mode, as a kernel's driver does it: requests, each with its IV. By the
/// oracle.
class StandInCipher {
 public:
  StandInCipher(Mode mode, Key key) : mode_(mode), key_(std::move(key)) {}

  [[nodiscard]] Mode mode() const { return mode_; }

  /// Transforms `data` in place, and leaves the next IV in `iv`; after a part of a block in CFB128 and OFB, the IV
  /// stays. False for a length that the mode does not take.
  [[nodiscard]] bool run(Direction direction, Block& iv, Bytes& data) {
    if (!takes_length(mode_, data.size())) return false;
    std::unique_ptr<Session>& session = sessions_[static_cast<std::size_t>(direction)];
    const std::uint8_t* first = has_iv(mode_) ? iv.data() : nullptr;
    if (!session) session = std::make_unique<Session>(cryptopp_oracle(), Shape{mode_, direction, key_.size()});
    if (session->start(key_.bytes().data(), first) != Status::ok) return false;
    if (session->update(data.data(), data.data(), data.size()) != Status::ok) return false;
    if (has_iv(mode_) && data.size() % block_bytes == 0) return session->chaining_value(iv.data()) == Status::ok;
    return true;
  }

 private:
  Mode mode_;
  Key key_;
  std::array<std::unique_ptr<Session>, 2> sessions_;
};

}  // namespace aesgate::emulator
