#include "fuzz/random_cases.h"

#include <algorithm>
#include <array>

#include "fuzz/fit.h"

namespace aesgate {
namespace {

/// Where a parallel backend leaves one loop for another, and one byte of input more or less is another path.
constexpr std::array block_counts{1, 2, 3, 4, 6, 8, 16, 32, 64, 256, 4096, 65536};
constexpr std::size_t moderate_block_counts = 10;

/// Chunk lengths beside which backends keep state: within a segment, at its edge, and past it.
constexpr std::array<std::size_t, 10> regular_chunks{1, 3, 8, 15, 16, 17, 32, 48, 64, 128};

/// One Case in so many is up to some MiB long: more than quick and normal efforts have, since the oracles take a second
/// for it.
constexpr std::uint64_t every_so_many = 10'000;
constexpr std::size_t longest_of_all = std::size_t{4} << 20;

/// More calls than this add time and no new path.
constexpr std::size_t most_calls = 64;

/// Cuts the message at random, at a block's edge three times out of four.
std::vector<std::size_t> cut_at_random(Prng& prng, Mode mode, std::size_t length) {
  std::vector<std::size_t> chunks;
  for (std::size_t rest = length; rest > 0 && chunks.size() < most_calls;) {
    std::size_t chunk = prng.between(1, rest);
    if (is_block_mode(mode) || !prng.one_in(4)) chunk = std::min(rest, (chunk + 15) / 16 * 16);
    // Short ones, since half of what is left is gone at each cut.
    if (prng.one_in(2)) chunk = std::min(chunk, is_block_mode(mode) ? 16 : prng.between(1, 33));
    chunks.push_back(chunk);
    rest -= chunk;
  }
  return chunks;
}

void insert_at_random(Prng& prng, std::vector<std::size_t>& chunks, std::size_t chunk) {
  chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(prng.below(chunks.size() + 1)), chunk);
}

void fill_input(Prng& prng, Bytes& input) {
  // Now and then constant, which is what real files have much of.
  if (prng.one_in(16))
    std::ranges::fill(input, static_cast<std::uint8_t>(prng.one_in(2) ? 0x00 : 0xff));
  else
    prng.fill(input);
}

}  // namespace

Case random_case(std::uint64_t seed, std::uint64_t number, const Shape& shape) {
  // One stream for each triple: its first number is far from that of its neighbours.
  Prng prng(Prng(Prng(Prng(seed).next() ^ index(shape)).next() ^ number).next());
  Case c;
  c.shape = shape;
  c.key = Key(shape.key_size);
  prng.fill(c.key.bytes());
  prng.fill(c.iv);
  // A counter that starts here carries through all of its bytes.
  if (prng.one_in(16)) c.iv.fill(0xff);
  const bool is_long = number % every_so_many == every_so_many - 1 && segment_units(shape.mode) > 1;
  c.length = random_length(prng, shape.mode, is_long ? longest_of_all : longest_random(shape.mode));
  c.input.resize(bytes_for(shape.mode, c.length));
  fill_input(prng, c.input);
  c.chunks = random_chunks(prng, shape.mode, c.length);
  c.placement.in_place = prng.one_in(3);
  for (Spot* spot : {&c.placement.input, &c.placement.output, &c.placement.key, &c.placement.iv, &c.placement.context})
    *spot = random_spot(prng);
  c.placement.context.distance %= 8;  // in alignments
  c.conditions = random_conditions(prng);
  c.origin = fmt::format("seed {} case {}", seed, number);
  return c;
}

std::size_t random_length(Prng& prng, Mode mode, std::size_t longest) {
  std::size_t length = 0;
  switch (prng.below(8)) {
    case 0: length = prng.below(longest + 1); break;
    case 1: length = prng.below(65); break;
    default: {
      const std::size_t choices = longest < 64 * 1024 ? moderate_block_counts : block_counts.size();
      const auto blocks = static_cast<std::size_t>(block_counts[prng.below(choices)]);
      // Half of the picks that are too long become short ones, the others the longest.
      length = 16 * (16 * blocks <= longest || prng.one_in(2) ? blocks : prng.between(1, 4));
      if (is_block_mode(mode))
        length += 16 * prng.below(2);
      else
        length += prng.below(3) - 1;  // one less, exact, one more: never below 0, since a block has 16
    }
  }
  return fit_length(mode, std::min(length, longest));
}

std::vector<std::size_t> random_chunks(Prng& prng, Mode mode, std::size_t length) {
  std::vector<std::size_t> chunks;
  switch (prng.below(4)) {
    case 0: break;  // one call
    case 1: {
      std::size_t chunk = prng.pick(regular_chunks);
      if (is_block_mode(mode)) chunk = (chunk + 15) / 16 * 16;
      chunks.assign(std::min(length / chunk, most_calls), chunk);
      break;
    }
    default: chunks = cut_at_random(prng, mode, length);
  }
  fit_chunks(mode, length, chunks);
  if (prng.one_in(6)) insert_at_random(prng, chunks, 0);
  if (prng.one_in(12)) insert_at_random(prng, chunks, 0);
  if (is_block_mode(mode) && prng.one_in(4)) insert_at_random(prng, chunks, random_probe(prng, length));
  return chunks;
}

std::size_t random_probe(Prng& prng, std::size_t length) {
  const std::size_t probe = prng.between(1, length + 15);
  return probe % 16 == 0 ? probe - 1 : probe;
}

Conditions random_conditions(Prng& prng) {
  Conditions conditions;
  if (prng.one_in(2)) conditions.memory = static_cast<Conditions::Memory>(prng.below(4));
  if (prng.one_in(8)) conditions.company = static_cast<std::uint8_t>(prng.between(1, 4));
  // A thread, a timer or another CPU takes longer than all else.
  if (prng.one_in(256)) conditions.threads = static_cast<std::uint8_t>(prng.between(1, 3));
  conditions.timer = prng.one_in(256);
  conditions.migration = prng.one_in(256);
  return conditions;
}

Spot random_spot(Prng& prng) {
  Spot spot;
  spot.edge = prng.one_in(2) ? Spot::Edge::end : Spot::Edge::start;
  switch (prng.below(4)) {
    case 0: spot.distance = static_cast<std::uint16_t>(prng.below(Spot::max_distance + 1)); break;
    case 1: spot.distance = static_cast<std::uint16_t>(prng.below(17)); break;
    default: break;  // against the edge: one byte further is a fault that the CPU sees
  }
  return spot;
}

}  // namespace aesgate
