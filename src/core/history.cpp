#include "core/history.h"

#include <algorithm>
#include <array>

#include "core/guarded_buffer.h"
#include "core/splitmix.h"

namespace aesgate {
namespace {

/// A message that ends where a mode that has a middle of a block, or of the byte in CFB1, is in it.
constexpr std::size_t length_before(Mode mode) { return is_block_mode(mode) ? 48 : 45; }

Block other_iv(const Case& c) {
  Block iv = c.iv;
  for (std::uint8_t& byte : iv) byte = static_cast<std::uint8_t>(~byte);
  return iv;
}

Key other_key(const Case& c, KeySize size) {
  Key key(size);
  const ByteView bytes = c.key.bytes();
  for (std::size_t i = 0; i < key.bytes().size(); ++i)
    key.bytes()[i] = static_cast<std::uint8_t>(splitmix(bytes[i % bytes.size()] + 7 * i));
  return key;
}

/// A shape of the backend that has another mode than the Case and a context of the same size; or the Case's own.
Shape other_shape(const aesgate_backend& backend, const Shape& shape, std::size_t size) {
  for (std::size_t i = 1; i < shape_count; ++i) {
    const Shape& other = all_shapes()[(index(shape) + 13 * i) % shape_count];
    if (other.mode != shape.mode && Session::supports(backend, other) && Session::context_size(backend, other) == size)
      return other;
  }
  return shape;
}

class Before {
 public:
  Before(Calls& calls, Session& session, const Shape& shape) : calls_(calls), session_(session), shape_(shape) {
    session_.watch(&calls_.watch());
  }

  bool start(const Key& key, const Block& iv) {
    Status status = Status::ok;
    auto call = [&] { status = session_.start(key.bytes().data(), has_iv(shape_.mode) ? iv.data() : nullptr); };
    return make("start()", status, call);
  }

  /// The key is for a backend that has no restart().
  bool restart(const Key& key, const Block& iv) {
    Status status = Status::ok;
    auto call = [&] { status = session_.restart(key.bytes().data(), has_iv(shape_.mode) ? iv.data() : nullptr); };
    return make("restart()", status, call);
  }

  bool update() {
    std::array<std::uint8_t, 48> input, output{};
    input.fill(0x6b);
    Status status = Status::ok;
    auto call = [&] { status = session_.update(input.data(), output.data(), length_before(shape_.mode)); };
    return make("update()", status, call);
  }

  bool finish() {
    Status status = Status::ok;
    auto call = [&] { session_.finish(); };
    return make("finish()", status, call);
  }

 private:
  template <typename Call>
  bool make(const char* name, const Status& status, Call& call) {
    calls_.outcome().call = fmt::format("{} of the message before", name);
    if (!calls_.make(call)) return false;
    calls_.outcome().status = status;
    return status == Status::ok;
  }

  Calls& calls_;
  Session& session_;
  Shape shape_;
};

bool another_message(Calls& calls, const aesgate_backend& backend, const Case& c, std::span<std::uint8_t> memory) {
  Shape shape;
  std::optional<Session> session;
  calls.outcome().call = "update_for()";
  auto prepare = [&] {
    shape = other_shape(backend, c.shape, memory.size());
    session.emplace(backend, shape, memory);
  };
  if (!calls.make(prepare)) return false;
  Before before(calls, *session, shape);
  const bool ran = before.start(other_key(c, shape.key_size), other_iv(c)) && before.update();
  const Status status = calls.outcome().status;
  if (calls.outcome().crash || !before.finish()) {
    session->abandon();
    return false;
  }
  calls.outcome().status = status;
  return ran;
}

}  // namespace

bool live_through(Calls& calls, const aesgate_backend& backend, const Case& c, std::span<std::uint8_t> memory,
                  Session& session) {
  using enum Conditions::Memory;
  Before before(calls, session, c.shape);
  switch (c.conditions.memory) {
    case fresh: return true;
    case another_message: return aesgate::another_message(calls, backend, c, memory);
    case restarted: {
      // The key that restart() goes on with has to be in the context: where it was given is no key any more.
      Key given = c.key.copy();
      const bool started = before.start(given, other_iv(c));
      std::ranges::fill(given.bytes(), poison);
      // Every second one is restarted twice.
      const bool again = (c.length + c.key.bytes()[0]) % 2 == 0;
      return started && before.update() && (!again || (before.restart(c.key, other_iv(c)) && before.update()));
    }
    case started_again: return before.start(c.key, c.iv) && before.update() && before.finish();
  }
  return true;
}

}  // namespace aesgate
