#include "core/history.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/guarded_buffer.h"
#include "core/splitmix.h"

namespace aesgate {
namespace {

/// Draws: numbers that follow from a Case, so that it has the same past whenever it runs.
class Draws {
 public:
  explicit Draws(const Case& c) : state_(splitmix(c.length + 1) ^ (c.chunks.size() << 32)) {
    for (const std::uint8_t byte : c.key.bytes()) state_ = splitmix(state_ ^ byte);
    for (const std::uint8_t byte : c.iv) state_ = splitmix(state_ ^ byte);
  }

  std::size_t below(std::size_t bound) { return splitmix(++state_) % bound; }

 private:
  std::uint64_t state_;
};

/// The longest call of a message before, in units.
constexpr std::size_t longest = 5 * 1024;

/// A call of it: most are short and end anywhere in a block, a few are past a page.
std::size_t drawn_length(Draws& draws, Mode mode) {
  const bool one_by_one = segment_units(mode) == 1;  // each unit is a cipher call
  std::size_t length = 0;
  switch (const std::size_t kind = draws.below(one_by_one ? 64 : 16)) {
    case 0: length = 1024 + draws.below(longest - 1024); break;
    case 1:
    case 2:
    case 3: length = draws.below(one_by_one ? 160 : 1024); break;
    default: length = kind % 2 == 0 ? draws.below(33) : draws.below(5) * block_bytes + draws.below(16);
  }
  return is_block_mode(mode) ? (length + block_bytes - 1) / block_bytes * block_bytes : length;
}

/// The calls of a message before; one in four has none.
std::vector<std::size_t> drawn_calls(Draws& draws, Mode mode) {
  std::vector<std::size_t> calls(draws.below(4) == 0 ? 0 : 1 + draws.below(draws.below(3) == 0 ? 7 : 2));
  for (std::size_t& length : calls) length = drawn_length(draws, mode);
  return calls;
}

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

  /// All calls of a message.
  bool update(Draws& draws) {
    for (const std::size_t length : drawn_calls(draws, shape_.mode)) {
      input_.resize(std::max(input_.size(), bytes_for(shape_.mode, length) + 1), 0x6b);
      output_.resize(input_.size());
      Status status = Status::ok;
      auto call = [&] { status = session_.update(input_.data(), output_.data(), length); };
      if (!make("update()", status, call)) return false;
    }
    return true;
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
  Bytes input_{0x6b}, output_;
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
  Draws draws(c);
  const bool ran = before.start(other_key(c, shape.key_size), other_iv(c)) && before.update(draws);
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
  Draws draws(c);
  switch (c.conditions.memory) {
    case fresh: return true;
    case another_message: return aesgate::another_message(calls, backend, c, memory);
    case restarted: {
      // The key that restart() goes on with has to be in the context: where it was given is no key any more.
      Key given = c.key.copy();
      const bool started = before.start(given, other_iv(c));
      std::ranges::fill(given.bytes(), poison);
      if (!started || !before.update(draws)) return false;
      // execute() restarts it once more.
      constexpr std::array<std::uint8_t, 8> restarts{0, 0, 0, 0, 1, 1, 2, 4};
      for (std::size_t left = restarts[draws.below(restarts.size())]; left != 0; --left)
        if (!before.restart(c.key, other_iv(c)) || !before.update(draws)) return false;
      return true;
    }
    case started_again: return before.start(c.key, c.iv) && before.update(draws) && before.finish();
  }
  return true;
}

}  // namespace aesgate
