#include <algorithm>

#include "bit_errors.h"
#include "laws.h"

// Laws about changed bits: SP 800-38A appendix D, and for encryption what follows from section 6.

namespace aesgate::props {
namespace {

bool decrypting(const Shape& shape) { return shape.direction == Direction::decrypt; }
bool encrypting(const Shape& shape) { return shape.direction == Direction::encrypt; }
bool with_iv(const Shape& shape) { return has_iv(shape.mode); }

void flip_bit(std::span<std::uint8_t> bytes, std::size_t bit) { set_bit(bytes, bit, !get_bit(bytes, bit)); }

std::size_t bits_of(const Case& c) { return c.length * unit_bits(c.shape.mode); }

std::string message_flip(Trial& trial, const Draft& draft) {
  const Case c = handled_case(draft);
  const std::size_t bits = bits_of(c);
  const std::size_t segment = segment_units(c.shape.mode) * unit_bits(c.shape.mode);
  // One bit anywhere, and half the time one more in its segment.
  std::vector<std::size_t> flips{draft.pick(0, bits)};
  const std::size_t start = flips[0] / segment * segment;
  const std::size_t another = start + draft.pick(1, std::min(segment, bits - start));
  if (draft.picks[1] >> 63 != 0 && another != flips[0]) flips.push_back(another);
  Case flipped = c.copy();
  for (const std::size_t bit : flips) flip_bit(flipped.input, bit);
  const Bytes& before = trial.output_of(c.copy());
  const Bytes& after = trial.output_of(std::move(flipped));
  const std::string wrong = contradiction(effect_of_message_flip(c.shape, bits, flips), before, after, bits);
  return wrong.empty() ? "" : fmt::format("with input bits {} flipped, {}", fmt::join(flips, " and "), wrong);
}

std::string iv_flip(Trial& trial, const Draft& draft) {
  const Case c = handled_case(draft);
  const std::size_t flip = draft.pick(0, 8 * block_bytes);
  Case flipped = c.copy();
  flip_bit(flipped.iv, flip);
  const Bytes& before = trial.output_of(c.copy());
  const Bytes& after = trial.output_of(std::move(flipped));
  const std::string wrong = contradiction(effect_of_iv_flip(c.shape, bits_of(c), flip), before, after, bits_of(c));
  return wrong.empty() ? "" : fmt::format("with IV bit {} flipped, {}", flip, wrong);
}

constexpr Law table[] = {
    {"ciphertext-flip-spreads-as-specified",
     "Flipped ciphertext bits change their block in ECB; their block and the same bits of the next in CBC; the "
     "same bits, and then what the next 128/s segments give, in CFB; the same bits alone in OFB.",
     "SP 800-38A appendix D, Table D.1", decrypting, 1, 2, message_flip},
    {"plaintext-flip-spreads-as-specified",
     "Flipped plaintext bits change their block in ECB; it and all after it in CBC; the same bits and what comes "
     "after their segment in CFB; the same bits alone in OFB.",
     "SP 800-38A sections 6.1 to 6.4", encrypting, 1, 2, message_flip},
    {"iv-flip-spreads-as-specified",
     "A flipped IV bit changes, in decryption, the same bit of the first block in CBC, the segments until it is "
     "shifted out in CFB, and every block in OFB; in encryption every block.",
     "SP 800-38A appendix D, Table D.2", with_iv, 1, 2, iv_flip},
};

}  // namespace

std::span<const Law> bit_error_laws() { return table; }

}  // namespace aesgate::props
