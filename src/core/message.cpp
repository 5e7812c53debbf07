#include "core/message.h"

#include <algorithm>

namespace aesgate {
namespace {

/// The input of a whole Case: what it holds, or what a Monte Carlo loop fed back, which is kept in `memory`.
ByteView input_of(const Case& c, ByteView output, Bytes& memory) {
  if (c.monte_carlo_steps == 0) return c.input;
  const Mode mode = c.shape.mode;
  const std::size_t units = segment_units(mode);
  memory.assign(bytes_for(mode, c.output_length()), 0);
  Bytes segment(c.input.size());
  for (std::size_t step = 0; step < c.monte_carlo_steps; ++step) {
    feed_back(c, step, output, segment);
    if (mode == Mode::cfb1)
      set_bit(memory, step, get_bit(segment, 0));
    else
      std::ranges::copy(segment, memory.begin() + static_cast<std::ptrdiff_t>(step * units));
  }
  return memory;
}

/// Bits [position, position + 128) of IV ‖ text: the last 128 that CFB has shifted in.
Block shifted_in(const Block& iv, ByteView text, std::size_t position) {
  Block block{};
  if (position % 8 == 0) {
    const std::size_t bytes = position / 8;
    for (std::size_t i = 0; i < block_bytes; ++i)
      block[i] = bytes + i < block_bytes ? iv[bytes + i] : text[bytes + i - block_bytes];
    return block;
  }
  for (std::size_t i = 0; i < 128; ++i) {
    const std::size_t at = position + i;
    set_bit(block, i, at < 128 ? get_bit(iv, at) : get_bit(text, at - 128));
  }
  return block;
}

}  // namespace

void feed_back(const Case& c, std::size_t step, ByteView output, std::span<std::uint8_t> segment) {
  const Mode mode = c.shape.mode;
  const std::size_t units = segment_units(mode);
  const std::size_t iv_segments = has_iv(mode) ? 128 / (units * unit_bits(mode)) : 0;
  if (step == 0) {
    std::ranges::copy(c.input, segment.begin());
    return;
  }
  const bool from_iv = step - 1 < iv_segments;
  const ByteView source = from_iv ? ByteView(c.iv) : output;
  const std::size_t at = from_iv ? step - 1 : step - 1 - iv_segments;
  if (mode == Mode::cfb1)
    set_bit(segment, 0, get_bit(source, at));
  else
    std::ranges::copy(source.subspan(at * units, units), segment.begin());
}

std::optional<Block> chaining_value_at(const Case& c, std::size_t position, ByteView output) {
  const Mode mode = c.shape.mode;
  if (mode == Mode::ecb || position % segment_units(mode) != 0) return std::nullopt;
  const bool encrypts = c.shape.direction == Direction::encrypt;
  Bytes memory;
  if (mode != Mode::ofb) {
    // CBC and CFB chain the ciphertext (sections 6.2 and 6.3).
    return shifted_in(c.iv, encrypts ? output : input_of(c, output, memory), position * unit_bits(mode));
  }
  if (position == 0) return c.iv;
  // OFB chains the output block of the cipher, which is input XOR output (section 6.4).
  const ByteView input = input_of(c, output, memory);
  Block block;
  for (std::size_t i = 0; i < block_bytes; ++i) {
    const std::size_t at = position - block_bytes + i;
    block[i] = static_cast<std::uint8_t>(input[at] ^ output[at]);
  }
  return block;
}

}  // namespace aesgate
