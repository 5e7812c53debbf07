#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "abi/aesgate_backend.h"
#include "core/abi_watch.h"
#include "core/bytes.h"
#include "core/shape.h"
#include "core/status.h"

namespace aesgate {

/// Session: one context of a backend, from start() to finish(), in memory of its own or the caller's.
/// The destructor finishes what was started; memory of its own is wiped. Not for two threads at once.
class Session {
 public:
  /// For a shape that the backend supports, as supports() says.
  Session(const aesgate_backend& backend, const Shape& shape);

  /// The same in `memory`: at least context_size(backend, shape) bytes, aligned to context_align,
  /// that outlive the Session.
  Session(const aesgate_backend& backend, const Shape& shape, std::span<std::uint8_t> memory);

  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] static bool supports(const aesgate_backend& backend, const Shape& shape);
  [[nodiscard]] static std::size_t context_size(const aesgate_backend& backend, const Shape& shape);

  /// A new message. `key`: as long as the shape says; `iv`: 16 bytes, or null in ECB. Finishes the message before.
  Status start(const std::uint8_t* key, const std::uint8_t* iv);

  /// A new message under the same key; by finish() and start() where the backend has nothing shorter,
  /// for which `key` is needed.
  Status restart(const std::uint8_t* key, const std::uint8_t* iv);

  /// The next `length` units, in a started Session; aesgate_backend.h has the rules.
  Status update(const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    return Status{invoke(update_, context_, in, out, length)};
  }

  /// `calls` such calls one after the other, up to one that does not say ok, for timing: little more than the calls
  /// goes on between them.
  Status repeat_update(const std::uint8_t* in, std::uint8_t* out, std::size_t length, std::size_t calls);

  /// start() `calls` times, up to one that does not say ok, each with the finish() of the message before: for timing.
  Status repeat_start(const std::uint8_t* key, const std::uint8_t* iv, std::size_t calls);

  [[nodiscard]] bool tells_chaining_value() const { return backend_.chaining_value != nullptr; }
  Status chaining_value(std::uint8_t iv[block_bytes]) const;

  void finish();

  /// From now on `watch`, which outlives the Session, makes its calls; null: they are made directly.
  void watch(AbiWatch* watch) { watch_ = watch; }

  /// Gives the context up without finish(): after a crash in it nothing may be called with it.
  void abandon() { started_ = false; }

 private:
  struct Release {
    std::size_t size;
    std::size_t align;
    void operator()(std::uint8_t* memory) const;
  };

  /// function(arguments…), by watch_ if there is one.
  template <typename Return, typename... Parameters, typename... Arguments>
  Return invoke(Return (*function)(Parameters...), Arguments... arguments) const {
    return watch_ == nullptr ? function(arguments...) : (*watch_)(function, arguments...);
  }

  const aesgate_backend& backend_;
  aesgate_shape shape_;
  aesgate_update_fn update_;
  std::unique_ptr<std::uint8_t, Release> own_;
  void* context_;
  AbiWatch* watch_ = nullptr;
  bool started_ = false;
};

}  // namespace aesgate
