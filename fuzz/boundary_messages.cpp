#include "fuzz/boundary_messages.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "fuzz/prng.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

constexpr std::size_t KiB = 1024;

/// Longer than the longest Case by what a cut may add.
constexpr std::size_t margin = 128;

/// The bytes of one field of a message; `field` tells key, IV and input apart.
class Filler {
 public:
  Filler(const Shape& shape, BoundaryMessage message, unsigned field)
      : message_(message),
        field_(field),
        prng_(Prng((index(shape) << 16) + (static_cast<std::uint64_t>(message) << 8) + field).next()) {}

  std::uint8_t next() {
    const std::size_t block = at_ / block_bytes, place = at_ % block_bytes;
    ++at_;
    switch (message_) {
      case BoundaryMessage::random:
      case BoundaryMessage::another_random: break;
      case BoundaryMessage::zeros: return 0;
      case BoundaryMessage::ones: return 0xff;
      case BoundaryMessage::counting:
        // The IV is one less than what overflows; the input's blocks count in their last two bytes.
        if (field_ == 1) return place == 15 ? 0xfe : 0xff;
        return static_cast<std::uint8_t>(field_ == 0 ? at_ - 1 : place == 15 ? block : place == 14 ? block >> 8 : 0);
      case BoundaryMessage::high_bits: return (block + place) % 2 == 0 ? 0x80 : 0x00;
      case BoundaryMessage::all_values:
        if (field_ == 2) return static_cast<std::uint8_t>(block + 17 * place);
        break;
    }
    return static_cast<std::uint8_t>(prng_.next() >> 56);
  }

 private:
  BoundaryMessage message_;
  unsigned field_;
  Prng prng_;
  std::size_t at_ = 0;
};

void fill(const Shape& shape, BoundaryMessage message, unsigned field, std::span<std::uint8_t> bytes) {
  Filler filler(shape, message, field);
  for (std::uint8_t& byte : bytes) byte = filler.next();
}

/// A message and its answer, whole.
struct Kept {
  std::once_flag once, once_asked;
  Case message;
  Result<Answer> answer;
};

Kept& kept(const Shape& shape, BoundaryMessage message, Effort effort) {
  static std::array<std::array<std::array<Kept, 2>, boundary_message_count>, shape_count> all;
  Kept& mine = all[index(shape)][static_cast<std::size_t>(message)][effort == Effort::deep];
  std::call_once(mine.once, [&] {
    const std::size_t length = longest_boundary(shape.mode, message, effort);
    Key key(shape.key_size);
    Block iv;
    Bytes input(bytes_for(shape.mode, length));
    fill(shape, message, 0, key.bytes());
    fill(shape, message, 1, iv);
    fill(shape, message, 2, input);
    mine.message = make_case(shape, std::move(key), iv, std::move(input), length);
    mine.message.origin = "boundary message";
  });
  return mine;
}

/// `length` units of `bytes` from block `block` on; bits past them are zero.
Bytes part(Mode mode, const Bytes& bytes, std::size_t block, std::size_t length) {
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(block * block_bytes);
  Bytes part(from, from + static_cast<std::ptrdiff_t>(bytes_for(mode, length)));
  if (mode == Mode::cfb1 && length % 8 != 0) part.back() &= static_cast<std::uint8_t>(0xff00 >> length % 8);
  return part;
}

/// SP 800-38A: the ciphertext block before it; in OFB the output block of the cipher.
Block chaining_value(const Case& message, const Bytes& output, std::size_t block) {
  if (block == 0) return message.iv;
  const bool encrypts = message.shape.direction == Direction::encrypt;
  Block value;
  for (std::size_t i = 0; i < block_bytes; ++i) {
    const std::size_t at = (block - 1) * block_bytes + i;
    const std::uint8_t in = message.input[at], out = output[at];
    value[i] = message.shape.mode == Mode::ofb ? static_cast<std::uint8_t>(in ^ out) : encrypts ? out : in;
  }
  return value;
}

}  // namespace

std::size_t longest_boundary(Mode mode, BoundaryMessage message, Effort effort) {
  const bool longest = message == BoundaryMessage::random;
  if (segment_units(mode) == 1) return (longest ? 64 * KiB : KiB) + margin;
  if (!longest) return 4 * KiB + margin;
  return (effort == Effort::deep ? 4 * KiB * KiB : 64 * KiB) + margin;
}

std::size_t boundary_starts(Mode mode, BoundaryMessage message, std::size_t length, Effort effort) {
  return (bytes_for(mode, longest_boundary(mode, message, effort)) - bytes_for(mode, length)) / block_bytes + 1;
}

BoundaryCase boundary_message(const Shape& shape, BoundaryMessage message, std::size_t block, std::size_t length,
                              Effort effort) {
  Kept& whole = kept(shape, message, effort);
  std::call_once(whole.once_asked, [&] { whole.answer = ask(whole.message); });
  const Case& c = whole.message;
  if (!whole.answer)
    return {make_case(shape, c.key.copy(), c.iv, part(shape.mode, c.input, 0, length), length),
            tl::unexpected(whole.answer.error())};
  const Bytes& output = whole.answer->output;
  return {make_case(shape, c.key.copy(), chaining_value(c, output, block), part(shape.mode, c.input, block, length),
                    length),
          Answer{part(shape.mode, output, block, length)}};
}

}  // namespace aesgate
