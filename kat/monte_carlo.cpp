#include "kat/monte_carlo.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

#include "oracle/oracle.h"

namespace aesgate::monte_carlo {
namespace {

/// Bits [from, from + 8 * bytes.size()) of `text`, `from` and the length being whole bytes except in CFB1.
void take_bits(ByteView text, std::size_t from, std::span<std::uint8_t> bytes) {
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) set_bit(bytes, i, get_bit(text, from + i));
}

std::string origin(const Shape& shape, std::size_t number) {
  return fmt::format("Monte Carlo {} step {} of {}", name(shape), number, outer_steps);
}

struct Chain {
  std::mutex mutex;
  std::deque<Step> steps;  // a deque, for its elements stay where they are
};

Chain& chain_of(const Shape& shape) {
  static std::array<Chain, shape_count> chains;
  return chains[index(shape)];
}

void extend(Chain& chain, const Shape& shape) {
  Case c = chain.steps.empty() ? first(shape) : next(chain.steps.back().c, chain.steps.back().answer->output);
  c.origin = origin(shape, chain.steps.size() + 1);
  Result<Answer> answer = ask(c);
  chain.steps.push_back({std::move(c), std::move(answer)});
}

}  // namespace

Case first(const Shape& shape) {
  // Any values serve; these follow from the shape alone, and no two shapes share them.
  std::uint32_t state = 0x2545f491u + static_cast<std::uint32_t>(index(shape));
  const auto fill = [&](std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) {
      state = state * 1664525u + 1013904223u;  // Knuth's and Lewis's linear congruential generator
      byte = static_cast<std::uint8_t>(state >> 24);
    }
  };
  Case c;
  c.shape = shape;
  c.key = Key(shape.key_size);
  fill(c.key.bytes());
  fill(c.iv);
  c.length = segment_units(shape.mode);
  c.input.resize(bytes_for(shape.mode, c.length));
  fill(c.input);
  if (shape.mode == Mode::cfb1) c.input[0] &= 0x80;
  c.monte_carlo_steps = inner_steps;
  c.origin = origin(shape, 1);
  return c;
}

Case next(const Case& c, ByteView output) {
  const Mode mode = c.shape.mode;
  const std::size_t end = c.output_length() * unit_bits(mode);
  const std::size_t segment_bits = segment_units(mode) * unit_bits(mode);
  Case after = c.copy();
  Bytes last(c.key.bytes().size());
  take_bits(output, end - 8 * last.size(), last);
  std::ranges::transform(c.key.bytes(), last, after.key.bytes().begin(),
                         [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a ^ b); });
  std::size_t before = end;
  if (has_iv(mode)) {
    before -= 8 * block_bytes;
    take_bits(output, before, after.iv);
  }
  std::ranges::fill(after.input, std::uint8_t{0});
  for (std::size_t i = 0; i < segment_bits; ++i) set_bit(after.input, i, get_bit(output, before - segment_bits + i));
  return after;
}

const Step& step(const Shape& shape, std::size_t number) {
  Chain& chain = chain_of(shape);
  const std::lock_guard lock(chain.mutex);
  while (chain.steps.size() <= number && (chain.steps.empty() || chain.steps.back().answer)) extend(chain, shape);
  return chain.steps[std::min(number, chain.steps.size() - 1)];
}

}  // namespace aesgate::monte_carlo
