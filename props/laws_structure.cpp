#include <algorithm>
#include <set>

#include "laws.h"
#include "units.h"

// Laws about what SP 800-38A section 6 builds each mode from.

namespace aesgate::props {
namespace {

bool in_ecb(const Shape& shape) { return shape.mode == Mode::ecb; }
bool in_ofb(const Shape& shape) { return shape.mode == Mode::ofb; }
bool with_iv(const Shape& shape) { return has_iv(shape.mode); }

ByteView block_at(ByteView bytes, std::size_t block) { return bytes.subspan(block * block_bytes, block_bytes); }

void append(Bytes& bytes, ByteView more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

std::string blocks_are_independent(Trial& trial, const Draft& draft) {
  const Case c = handled_case(draft);
  const std::size_t blocks = draft.length / block_bytes;
  // As many blocks again as there are, each drawn from all: in another order, some twice, some not at all.
  std::vector<std::size_t> drawn(blocks);
  for (std::size_t i = 0; i < blocks; ++i) drawn[i] = static_cast<std::size_t>(mix(draft.picks[0] + i) % blocks);
  Case rearranged = c.copy();
  rearranged.input.clear();
  for (const std::size_t block : drawn) append(rearranged.input, block_at(c.input, block));
  const Bytes& output = trial.output_of(c.copy());
  const Bytes& rearranged_output = trial.output_of(std::move(rearranged));
  for (std::size_t i = 0; i < blocks; ++i)
    if (!std::ranges::equal(block_at(output, drawn[i]), block_at(rearranged_output, i)))
      return fmt::format("a block gives one output as block {} and another as block {}", drawn[i], i);
  return {};
}

std::string blocks_stay_distinct(Trial& trial, const Draft& draft) {
  Case c = handled_case(draft);
  const std::size_t blocks = draft.length / block_bytes;
  // One block, with another number in two of its bytes for each place: close to each other, all distinct.
  const Bytes first = draft.input.bytes(block_bytes);
  const std::size_t at = draft.pick(0, block_bytes - 1);
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto block = c.input.begin() + static_cast<std::ptrdiff_t>(i * block_bytes);
    std::ranges::copy(first, block);
    block[static_cast<std::ptrdiff_t>(at)] ^= static_cast<std::uint8_t>(i >> 8);
    block[static_cast<std::ptrdiff_t>(at + 1)] ^= static_cast<std::uint8_t>(i);
  }
  const Bytes& output = trial.output_of(std::move(c));
  std::set<Bytes> seen;
  for (std::size_t i = 0; i < blocks; ++i) {
    const ByteView block = block_at(output, i);
    if (!seen.emplace(block.begin(), block.end()).second)
      return fmt::format("two distinct blocks both give {}, with which block {} is not the first", to_hex(block), i);
  }
  return {};
}

std::string keystream_ignores_the_data(Trial& trial, const Draft& draft) {
  const Case c = handled_case(draft);
  Case other = c.copy();
  const bool zeros = draft.pick(0, 2) == 0;
  other.input = zeros ? Bytes(c.input.size()) : Fill{Fill::Kind::random, mix(draft.picks[1])}.bytes(c.input.size());
  const Bytes stream = exclusive_or(c.input, trial.output_of(c.copy()));
  const Bytes other_stream = exclusive_or(other.input, trial.output_of(other.copy()));
  const auto unit = first_difference(draft.shape.mode, stream, other_stream, draft.length);
  if (!unit) return {};
  return fmt::format("byte {} of the keystream is {:02x} for one message and {:02x} for another", *unit, stream[*unit],
                     other_stream[*unit]);
}

std::string directions_are_equal(Trial& trial, const Draft& draft) {
  const Case c = handled_case(draft);
  Case other = c.copy();
  other.shape.direction = c.shape.direction == Direction::encrypt ? Direction::decrypt : Direction::encrypt;
  const Bytes& output = trial.output_of(c.copy());
  const auto unit = first_difference(c.shape.mode, output, trial.output_of(std::move(other)), draft.length);
  if (!unit) return {};
  return fmt::format("byte {} of the output differs between encrypt and decrypt", *unit);
}

/// The blocks that a mode gives to the forward cipher, or in CBC decryption to the inverse one, in order.
Bytes cipher_inputs(const Case& c, ByteView output) {
  const Mode mode = c.shape.mode;
  const bool encrypts = c.shape.direction == Direction::encrypt;
  const Bytes ciphertext = encrypts ? Bytes(output.begin(), output.end()) : c.input;
  if (mode == Mode::cbc && !encrypts) return ciphertext;
  Bytes text(c.iv.begin(), c.iv.end());  // IV, then what is chained
  if (mode == Mode::ofb)
    append(text, exclusive_or(c.input, output));
  else
    append(text, ciphertext);
  Bytes inputs;
  const std::size_t segment = segment_units(mode);
  const std::size_t units_of_a_block = 128 / unit_bits(mode);
  for (std::size_t at = 0; at < c.length; at += segment) {
    const Bytes chained = slice(mode, text, at, units_of_a_block);
    append(inputs, mode == Mode::cbc ? exclusive_or(chained, slice(mode, c.input, at, segment)) : chained);
  }
  return inputs;
}

/// What must come out of a mode whose cipher gave `cipher_outputs` for cipher_inputs().
Bytes output_from_cipher(const Case& c, ByteView cipher_outputs) {
  const Mode mode = c.shape.mode;
  const std::size_t segment = segment_units(mode);
  Bytes result(c.input.size());
  for (std::size_t at = 0; at < c.length; at += segment) {
    const std::size_t count = std::min(segment, c.length - at);
    Bytes part = slice(mode, block_at(cipher_outputs, at / segment), 0, count);
    if (mode != Mode::cbc)
      part = exclusive_or(part, slice(mode, c.input, at, count));
    else if (c.shape.direction == Direction::decrypt)
      part = exclusive_or(part, at == 0 ? ByteView(c.iv) : ByteView(c.input).subspan(at - block_bytes, block_bytes));
    paste(mode, result, at, part, count);
  }
  return result;
}

std::string mode_is_built_on_ecb(Trial& trial, const Draft& draft) {
  const Case c = handled_case(draft);
  const Bytes& output = trial.output_of(c.copy());
  const bool inverse = c.shape.mode == Mode::cbc && c.shape.direction == Direction::decrypt;
  const Shape ecb{Mode::ecb, inverse ? Direction::decrypt : Direction::encrypt, c.shape.key_size};
  Bytes inputs = cipher_inputs(c, output);
  const std::size_t size = inputs.size();
  const Bytes& cipher_outputs = trial.output_of(make_case(ecb, c.key.copy(), {}, std::move(inputs), size));
  const auto unit = first_difference(c.shape.mode, output, output_from_cipher(c, cipher_outputs), c.length);
  if (!unit) return {};
  return fmt::format("{} of the output is not what the mode makes of this backend's own ECB",
                     unit_name(c.shape.mode, *unit));
}

constexpr Law table[] = {
    {"ecb-blocks-are-independent", "Blocks of the message in another order, or repeated, give their outputs so.",
     "SP 800-38A section 6.1", in_ecb, 2, 2, blocks_are_independent},
    {"ecb-blocks-stay-distinct", "Distinct blocks give distinct blocks: a cipher is a permutation.",
     "SP 800-38A section 5.1", in_ecb, 2, 1, blocks_stay_distinct},
    {"ofb-keystream-ignores-the-data", "Input XOR output depends on key and IV alone.", "SP 800-38A section 6.4",
     in_ofb, 1, 2, keystream_ignores_the_data},
    {"ofb-directions-are-equal", "Decryption does to a message what encryption does.", "SP 800-38A section 6.4", in_ofb,
     1, 2, directions_are_equal},
    {"mode-is-built-on-ecb", "The mode's equations hold with the backend's own block cipher, as its ECB shows it.",
     "SP 800-38A sections 6.2 to 6.4", with_iv, 1, 2, mode_is_built_on_ecb},
};

}  // namespace

std::span<const Law> structure_laws() { return table; }

}  // namespace aesgate::props
