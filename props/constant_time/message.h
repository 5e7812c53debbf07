#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/bytes.h"
#include "core/secret.h"
#include "core/session.h"
#include "core/shape.h"

namespace aesgate::constant_time {

/// The lengths of the calls of one message, in units. Short: what each backend can do in little time, with a chaining
/// value carried in the middle of a segment where the mode has one. Long: where a mode can be parallel, calls that
/// reach the widest of the unrolled loops, 128 blocks and a rest; empty elsewhere.
[[nodiscard]] std::vector<std::size_t> short_calls(const Shape& shape);
[[nodiscard]] std::vector<std::size_t> long_calls(const Shape& shape);

/// Secrets number `number` of a run: the first has all bits zero, the second all set, then come random ones.
struct Secrets {
  Key key;
  Bytes text;
};
[[nodiscard]] Secrets make_secrets(const Shape& shape, std::size_t text_bytes, std::uint64_t seed, std::size_t number);

/// Message: one message of a backend in buffers of its own, which stay where they are: start(), an update() for each
/// call, chaining_value(), restart(), finish().
class Message {
 public:
  Message(const aesgate_backend& backend, const Shape& shape, std::vector<std::size_t> calls);

  /// Puts secrets into the buffers, in place.
  void set(const Secrets& secrets);

  /// The first status that is not ok. Allocates nothing by itself.
  [[nodiscard]] Status run();

  [[nodiscard]] std::span<std::uint8_t> key() { return key_.bytes(); }
  [[nodiscard]] std::span<std::uint8_t> text() { return text_; }
  [[nodiscard]] std::span<std::uint8_t> output() { return output_; }

 private:
  [[nodiscard]] Status update_all();
  [[nodiscard]] const std::uint8_t* iv() const { return has_iv(shape_.mode) ? iv_.data() : nullptr; }

  Shape shape_;
  std::vector<std::size_t> calls_;
  Key key_;
  Block iv_, chaining_value_{};
  Bytes text_, output_;
  Session session_;
};

}  // namespace aesgate::constant_time
