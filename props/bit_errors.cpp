#include "bit_errors.h"

#include <algorithm>

namespace aesgate::props {
namespace {

constexpr std::size_t block_bits = 8 * block_bytes;

std::size_t segment_bits(Mode mode) { return segment_units(mode) * unit_bits(mode); }

/// Every whole block in [from, bits): what is left at the end may come out the same by chance.
std::vector<BitRange> whole_blocks(std::size_t from, std::size_t bits) {
  std::vector<BitRange> blocks;
  for (; from + block_bits <= bits; from += block_bits) blocks.push_back({from, from + block_bits});
  return blocks;
}

void keep_within(Effect& effect, std::size_t bits) {
  std::erase_if(effect.flipped, [=](std::size_t bit) { return bit >= bits; });
  for (BitRange& range : effect.free) range = {std::min(range.from, bits), std::min(range.to, bits)};
}

}  // namespace

Effect effect_of_message_flip(const Shape& shape, std::size_t bits, const std::vector<std::size_t>& flips) {
  const bool encrypts = shape.direction == Direction::encrypt;
  const std::size_t segment = segment_bits(shape.mode);
  const std::size_t start = flips.front() / segment * segment;
  const std::size_t end = start + segment;
  Effect effect;
  switch (shape.mode) {
    case Mode::ecb: effect.free = effect.differing = {{start, end}}; break;
    case Mode::cbc:
      if (encrypts) {
        // This block and all after it: each is the cipher's output for another input.
        effect.free = {{start, bits}};
        effect.differing = whole_blocks(start, bits);
        break;
      }
      effect.free = effect.differing = {{start, end}};
      for (const std::size_t bit : flips) effect.flipped.push_back(bit + block_bits);
      break;
    case Mode::cfb1:
    case Mode::cfb8:
    case Mode::cfb128:
      effect.flipped = flips;
      // Decrypting, ciphertext is in the shift register for the next 128 / s segments; encrypting, the
      // change goes round.
      effect.free = {{end, encrypts ? bits : end + block_bits}};
      if (segment == block_bits)
        effect.differing = whole_blocks(end, encrypts ? bits : std::min(bits, end + block_bits));
      break;
    case Mode::ofb: effect.flipped = flips; break;
  }
  keep_within(effect, bits);
  return effect;
}

Effect effect_of_iv_flip(const Shape& shape, std::size_t bits, std::size_t flip) {
  const bool encrypts = shape.direction == Direction::encrypt;
  const std::size_t segment = segment_bits(shape.mode);
  // Decrypting CFB, bit i of the IV leaves the shift register with the segment that it is in.
  const std::size_t shifted_out = (flip / segment + 1) * segment;
  Effect effect;
  switch (shape.mode) {
    case Mode::ecb: break;
    case Mode::cbc:
      if (encrypts)
        effect = {{}, {{0, bits}}, whole_blocks(0, bits)};
      else
        effect.flipped = {flip};
      break;
    case Mode::cfb1:
    case Mode::cfb8: effect.free = {{0, encrypts ? bits : shifted_out}}; break;
    case Mode::cfb128:
      effect.free = {{0, encrypts ? bits : shifted_out}};
      effect.differing = whole_blocks(0, encrypts ? bits : std::min(bits, shifted_out));
      break;
    case Mode::ofb: effect = {{}, {{0, bits}}, whole_blocks(0, bits)}; break;
  }
  keep_within(effect, bits);
  return effect;
}

std::string contradiction(const Effect& effect, ByteView before, ByteView after, std::size_t bits) {
  const auto changed = [&](std::size_t bit) { return get_bit(before, bit) != get_bit(after, bit); };
  for (std::size_t bit = 0; bit < bits; ++bit) {
    if (std::ranges::any_of(effect.free, [=](const BitRange& r) { return r.from <= bit && bit < r.to; })) continue;
    const bool must = std::ranges::count(effect.flipped, bit) > 0;
    if (changed(bit) != must) return fmt::format("bit {} of the output {}", bit, must ? "stays" : "changes");
  }
  for (const auto& [from, to] : effect.differing) {
    bool any = false;
    for (std::size_t bit = from; bit < to; ++bit) any = any || changed(bit);
    if (!any) return fmt::format("bits {} to {} of the output all stay", from, to - 1);
  }
  return {};
}

}  // namespace aesgate::props
