#include "witness/block_states.h"

#include <algorithm>

#include "core/secret.h"
#include "oracle/fips197.h"

namespace aesgate::witness {
namespace {

/// The block cipher in one direction, which notes what each call goes through.
class NotedCipher {
 public:
  NotedCipher(const Shape& shape, ByteView key, KnownMessage& message)
      : schedule_(fips197::KeyExpansion(key.data(), key.size() * 8)),
        inverse_((shape.mode == Mode::ecb || shape.mode == Mode::cbc) && shape.direction == Direction::decrypt),
        message_(message) {}
  ~NotedCipher() { wipe(&schedule_, sizeof schedule_); }
  NotedCipher(const NotedCipher&) = delete;
  NotedCipher& operator=(const NotedCipher&) = delete;

  Block operator()(const Block& in) {
    Block out;
    if (inverse_)
      fips197::InvCipher(in.data(), out.data(), schedule_);
    else
      fips197::Cipher(in.data(), out.data(), schedule_);
    message_.last_states.push_back(before_the_last_round(out));
    return out;
  }

  /// Notes the block that comes after the message.
  void note_next(const Block& in) { (void)(*this)(in); }

 private:
  /// The last round of section 5.1 (or, for the inverse cipher, of 5.3 and 5.3.5), undone.
  [[nodiscard]] Block before_the_last_round(const Block& out) const {
    fips197::State state = fips197::to_state(out.data());
    fips197::AddRoundKey(state, schedule_, inverse_ ? 0 : schedule_.Nr);
    if (inverse_) {
      fips197::ShiftRows(state);
      fips197::SubBytes(state);
    } else {
      fips197::InvShiftRows(state);
      fips197::InvSubBytes(state);
    }
    Block before;
    fips197::from_state(state, before.data());
    return before;
  }

  fips197::KeySchedule schedule_;
  const bool inverse_;
  KnownMessage& message_;
};

Block xor_of(const Block& a, const Block& b) {
  Block sum;
  std::ranges::transform(a, b, sum.begin(), [](auto x, auto y) { return static_cast<std::uint8_t>(x ^ y); });
  return sum;
}

Block block_at(ByteView bytes, std::size_t number) {
  Block block{};
  const ByteView from = bytes.subspan(number * block_bytes);
  std::copy_n(from.begin(), std::min(from.size(), block_bytes), block.begin());
  return block;
}

/// Whole blocks: ECB, CBC, CFB128 and OFB (SP 800-38A sections 6.1 to 6.4).
void run_blocks(const Shape& shape, Block chain, ByteView input, NotedCipher& cipher, KnownMessage& message) {
  const bool encrypts = shape.direction == Direction::encrypt;
  for (std::size_t j = 0; j * block_bytes < input.size(); ++j) {
    const Block in = block_at(input, j);
    Block out;
    switch (shape.mode) {
      case Mode::ecb: out = cipher(in); break;
      case Mode::cbc: out = encrypts ? cipher(xor_of(in, chain)) : xor_of(cipher(in), chain); break;
      case Mode::ofb:
        chain = cipher(chain);
        out = xor_of(in, chain);
        break;
      default: out = xor_of(in, cipher(chain)); break;
    }
    if (shape.mode == Mode::cbc || shape.mode == Mode::cfb128) chain = encrypts ? out : in;
    const std::size_t size = std::min(block_bytes, input.size() - j * block_bytes);
    message.output.insert(message.output.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
  }
  message.blocks = message.last_states.size();
  if (shape.mode == Mode::cfb128 || shape.mode == Mode::ofb) cipher.note_next(chain);
}

/// CFB1 and CFB8 (section 6.3), bit by bit: a segment of eight bits is shifted in as eight.
void run_segments(const Shape& shape, Block shift, ByteView input, std::size_t length, NotedCipher& cipher,
                  KnownMessage& message) {
  const std::size_t bits = shape.mode == Mode::cfb1 ? 1 : 8;
  message.output.assign(input.size(), 0);
  for (std::size_t j = 0; j < length; ++j) {
    const Block keystream = cipher(shift);
    for (std::size_t bit = 0; bit < bits; ++bit) {
      const std::size_t at = j * bits + bit;
      const bool taken = get_bit(input, at);
      const bool given = taken != get_bit(keystream, bit);
      set_bit(message.output, at, given);
      for (std::size_t i = 0; i + 1 < block_bytes * 8; ++i) set_bit(shift, i, get_bit(shift, i + 1));
      set_bit(shift, block_bytes * 8 - 1, shape.direction == Direction::encrypt ? given : taken);
    }
  }
  message.blocks = message.last_states.size();
  cipher.note_next(shift);
}

}  // namespace

KnownMessage known_message(const Shape& shape, ByteView key, const Block& iv, ByteView input, std::size_t length) {
  KnownMessage message;
  NotedCipher cipher(shape, key, message);
  if (shape.mode == Mode::cfb1 || shape.mode == Mode::cfb8)
    run_segments(shape, iv, input, length, cipher, message);
  else
    run_blocks(shape, iv, input, cipher, message);
  return message;
}

}  // namespace aesgate::witness
