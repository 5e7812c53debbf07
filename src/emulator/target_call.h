#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <linux/seccomp.h>
#include <sys/types.h>

#include "core/bytes.h"

namespace aesgate::emulator {

/// TargetCall: a system call of the supervised program that waits for an answer. Give it exactly one; if the program is
/// gone, or a signal took it out of the call, that answer is lost, as is its answer to anything asked here.
class TargetCall {
 public:
  TargetCall(int listener, const seccomp_notif& request) : listener_(listener), request_(request) {}

  [[nodiscard]] int number() const { return request_.data.nr; }
  [[nodiscard]] std::uint64_t argument(unsigned i) const { return request_.data.args[i]; }
  [[nodiscard]] int int_argument(unsigned i) const { return static_cast<int>(request_.data.args[i]); }

  /// The program's memory; false if it is not there: EFAULT. What is read may be another process's if this call waits
  /// no more: what comes of it is lost then, since an answer and what is written look first.
  [[nodiscard]] bool read(std::uint64_t address, void* to, std::size_t size) const;
  [[nodiscard]] bool write(std::uint64_t address, const void* from, std::size_t size) const;
  template <typename T>
  [[nodiscard]] bool read(std::uint64_t address, T& to) const {
    return read(address, &to, sizeof to);
  }
  template <typename T>
  [[nodiscard]] bool write(std::uint64_t address, const T& from) const {
    return write(address, &from, sizeof from);
  }
  /// Is this text there, up to its NUL?
  [[nodiscard]] bool has_text(std::uint64_t address, std::string_view text) const;

  /// Which socket one of the program's descriptors is: its inode; nothing for what is no socket.
  [[nodiscard]] std::optional<ino_t> socket_of(int descriptor) const;

  /// Gives the program a copy of `descriptor`, as the result of the call; false if it could not be given.
  bool answer_with_descriptor(int descriptor, bool close_on_exec);
  /// Gives it a copy, and says under which number; the call still waits.
  [[nodiscard]] std::optional<int> give_descriptor(int descriptor);

  void answer(std::int64_t value) { send(value, 0, 0); }
  void fail(int error) { send(0, -error, 0); }
  /// The kernel does what the call says.
  void pass_on() { send(0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE); }

 private:
  void send(std::int64_t value, std::int32_t error, std::uint32_t flags);
  /// Does the call still wait? Else its process number may be another's by now.
  [[nodiscard]] bool waits() const;

  int listener_;
  const seccomp_notif& request_;
};

}  // namespace aesgate::emulator
