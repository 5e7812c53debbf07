#include "fuzz/mutate.h"

#include <algorithm>
#include <array>

#include "fuzz/case_codec.h"
#include "fuzz/fit.h"
#include "fuzz/random_cases.h"

namespace aesgate {
namespace {

void mutate_shape(Case& c, Prng& prng) {
  Shape shape = c.shape;
  switch (prng.below(3)) {
    case 0: shape.mode = prng.pick(all_modes); break;
    case 1: shape.direction = prng.pick(all_directions); break;
    default: shape.key_size = prng.pick(all_key_sizes);
  }
  reshape(c, shape, max_length(shape.mode));
}

void mutate_length(Case& c, Prng& prng) {
  const Mode mode = c.shape.mode;
  const std::size_t longest = max_length(mode);
  const std::size_t step = is_block_mode(mode) ? 16 : 1;
  switch (prng.below(4)) {
    case 0: resize(c, std::min(c.length + step, longest)); break;
    case 1: resize(c, c.length - std::min(c.length, step)); break;
    default:
      // The longest quarter of messages costs as much as all others: it gets one pick in eight.
      resize(c, random_length(prng, mode, prng.one_in(8) ? longest : longest / 4));
  }
}

void mutate_one_chunk(Case& c, Prng& prng) {
  if (c.chunks.empty()) return;
  const std::size_t at = prng.below(c.chunks.size());
  const auto place = c.chunks.begin() + static_cast<std::ptrdiff_t>(at);
  switch (prng.below(4)) {
    case 0: {  // two calls instead of one
      if (is_probe(c.shape.mode, *place)) break;
      const std::size_t first = fit_length(c.shape.mode, prng.below(*place + 1));
      *place -= first;
      c.chunks.insert(place, first);
      break;
    }
    case 1:  // one call instead of two, where the next is none that is refused
      if (at + 1 == c.chunks.size() || is_probe(c.shape.mode, *place) || is_probe(c.shape.mode, *(place + 1))) break;
      *(place + 1) += *place;
      c.chunks.erase(place);
      break;
    case 2: c.chunks.insert(place, 0); break;
    default:
      if (is_block_mode(c.shape.mode))
        c.chunks.insert(place, random_probe(prng, c.length));
      else
        std::swap(*place, prng.pick(c.chunks));
  }
}

void mutate_placement(Case& c, Prng& prng) {
  Spot* const spots[] = {&c.placement.input, &c.placement.output, &c.placement.key, &c.placement.iv};
  if (prng.one_in(4))
    c.placement.in_place = !c.placement.in_place;
  else
    *prng.pick(spots) = random_spot(prng);
}

/// Those that case_codec.h has a place for.
void mutate_conditions(Case& c, Prng& prng) {
  switch (prng.below(4)) {
    case 0: c.conditions.memory = static_cast<Conditions::Memory>(prng.below(4)); break;
    case 1: c.conditions.company = c.conditions.company == 0 ? coded_company : 0; break;
    case 2: c.placement.context.edge = prng.one_in(2) ? Spot::Edge::start : Spot::Edge::end; break;
    default: c.placement.context.distance = static_cast<std::uint16_t>(prng.below(2));
  }
}

void mutate_key_or_iv(Case& c, Prng& prng, const MutateBytes& mutate_bytes) {
  const std::span<std::uint8_t> bytes = prng.one_in(2) ? c.key.bytes() : std::span<std::uint8_t>(c.iv);
  mutate_bytes(bytes, bytes.size());  // which keep their size: what was cut off at the end stays as it was
}

void mutate_input(Case& c, const MutateBytes& mutate_bytes) {
  const Mode mode = c.shape.mode;
  const std::size_t before = c.input.size();
  c.input.resize(bytes_for(mode, max_length(mode)));
  const std::size_t after = mutate_bytes(c.input, before);
  c.input.resize(after);
  if (after == before) return;
  c.length = after * (8 / unit_bits(mode));
  resize(c, fit_length(mode, c.length));
}

}  // namespace

void mutate(Case& c, Prng& prng, const MutateBytes& mutate_bytes) {
  switch (prng.below(9)) {
    case 0: mutate_shape(c, prng); break;
    case 1: mutate_length(c, prng); break;
    case 2: c.chunks = random_chunks(prng, c.shape.mode, c.length); break;
    case 3: mutate_one_chunk(c, prng); break;
    case 4:
    case 5: mutate_placement(c, prng); break;
    case 6: mutate_key_or_iv(c, prng, mutate_bytes); break;
    case 7: mutate_conditions(c, prng); break;
    default: mutate_input(c, mutate_bytes);
  }
  limit_chunks(c.shape.mode, max_chunks, c.chunks);
}

Case cross(const Case& a, const Case& b, Prng& prng) {
  Case c = a.copy();
  if (prng.one_in(2)) c.placement = b.placement;
  if (prng.one_in(2)) c.conditions = b.conditions;
  if (prng.one_in(2)) c.iv = b.iv;
  if (prng.one_in(2)) c.chunks = b.chunks;
  if (prng.one_in(2)) {
    c.input = b.input;
    c.length = b.input.size() * (8 / unit_bits(c.shape.mode));
  }
  reshape(c, prng.one_in(2) ? b.shape : a.shape, max_length(c.shape.mode));
  resize(c, fit_length(c.shape.mode, std::min(c.length, max_length(c.shape.mode))));
  limit_chunks(c.shape.mode, max_chunks, c.chunks);
  return c;
}

}  // namespace aesgate
