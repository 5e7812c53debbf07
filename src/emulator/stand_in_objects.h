#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/shared_state.h"
#include "emulator/target_call.h"

namespace aesgate::emulator {

/// OwnDescriptor: a descriptor of the supervisor's, closed once.
class OwnDescriptor {
 public:
  explicit OwnDescriptor(int number = -1) : number_(number) {}
  OwnDescriptor(OwnDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OwnDescriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Watch: has the supervisor told when the program has closed the last copy of what `end` is the other end of.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual bool watch(int end, ino_t object) = 0;
};

/// StandInDevice: answers the calls that are about its objects.
class StandInDevice {
 public:
  virtual ~StandInDevice() = default;
  /// True if the call is about this device, and was answered.
  virtual bool handle(TargetCall& call) = 0;
  /// The program has closed this object, which may be another device's.
  virtual void closed(ino_t object) = 0;
};

/// Objects<T>: what the program has of one kind. To the program each is one end of a pair of sockets, and its inode
/// says which, whatever number it has, in whatever process; the other end is the supervisor's, and tells when it is
/// closed.
template <typename T>
class Objects {
 public:
  Objects(SharedState& state, Watch& watch) : state_(state), watch_(watch) {}

  /// A new object as the result of a call, which it answers.
  void answer_with_new(TargetCall& call, bool close_on_exec, T value) {
    const auto made = make(std::move(value));
    if (!made) return call.fail(ENFILE);
    if (!call.answer_with_descriptor(made->theirs.number(), close_on_exec)) forget(made->object);
  }

  /// A new object, and its number in the program; the call still waits for its answer.
  std::optional<int> give_new(TargetCall& call, T value) {
    const auto made = make(std::move(value));
    if (!made) return std::nullopt;
    const auto number = call.give_descriptor(made->theirs.number());
    if (!number) forget(made->object);
    return number;
  }

  struct Entry {
    OwnDescriptor end;  // the supervisor's
    T value;
  };

  /// The object of a descriptor of the program's; null if it is none of these.
  Entry* find(const TargetCall& call, int descriptor) {
    if (objects_.empty()) return nullptr;
    const auto socket = call.socket_of(descriptor);
    const auto found = socket ? objects_.find(*socket) : objects_.end();
    return found == objects_.end() ? nullptr : &found->second;
  }

  void forget(ino_t object) { state_.objects -= static_cast<std::int64_t>(objects_.erase(object)); }

 private:
  struct Made {
    ino_t object;
    OwnDescriptor theirs;
  };

  std::optional<Made> make(T value) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
    OwnDescriptor theirs(ends[0]);
    OwnDescriptor ours(ends[1]);
    struct stat status {};
    const int room = 1 << 20;  // for results; less is not an error before there is more to put in
    setsockopt(ours.number(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (fcntl(ours.number(), F_SETFL, O_NONBLOCK) != 0 || fstat(theirs.number(), &status) != 0 ||
        !watch_.watch(ours.number(), status.st_ino))
      return std::nullopt;
    // Known before the program has it: its next call may come at once.
    objects_.emplace(status.st_ino, Entry{std::move(ours), std::move(value)});
    ++state_.objects;
    return Made{status.st_ino, std::move(theirs)};
  }

  SharedState& state_;
  Watch& watch_;
  std::map<ino_t, Entry> objects_;
};

std::unique_ptr<StandInDevice> make_af_alg(SharedState& state, Watch& watch);
std::unique_ptr<StandInDevice> make_cryptodev_linux(SharedState& state, Watch& watch);
std::unique_ptr<StandInDevice> make_cryptodev_bsd(SharedState& state, Watch& watch);

}  // namespace aesgate::emulator
