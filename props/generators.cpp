#include "generators.h"

#include <algorithm>

#include <rapidcheck.h>

namespace aesgate::props {
namespace {

namespace gen = rc::gen;

/// Where implementations change path: the numbers of blocks, or of CFB segments, that they take at a time.
std::vector<std::size_t> segment_counts(Mode mode) {
  std::vector<std::size_t> counts{0, 1, 2, 3, 4, 6, 8, 16, 32, 64};
  // 255 blocks are 128, 64, … and 1: every tail of a loop that takes a power of two. In CFB1 the shift register is
  // full after 128 segments; 512 is a piece that CFB may set aside to decrypt it in place.
  if (segment_units(mode) == block_bytes) counts.push_back(255);
  if (mode == Mode::cfb1) counts.insert(counts.end(), {128, 256});
  if (segment_units(mode) == 1) counts.push_back(512);
  return counts;
}

rc::Gen<std::size_t> lengths(Mode mode, std::size_t min_units) {
  const std::size_t segment = segment_units(mode);
  const std::size_t smallest_step = is_block_mode(mode) ? 16 : 1;
  const std::vector<std::size_t> counts = segment_counts(mode);
  auto near_a_path = gen::map(gen::pair(gen::elementOf(counts), gen::element(-1, 0, 0, 1)), [=](const auto& choice) {
    const std::size_t length = choice.first * segment;
    if (choice.second < 0) return length - std::min(length, smallest_step);
    return length + static_cast<std::size_t>(choice.second) * smallest_step;
  });
  auto anywhere = gen::map(gen::inRange<std::size_t>(0, counts.back() * segment / smallest_step + 1),
                           [=](std::size_t steps) { return steps * smallest_step; });
  return gen::map(gen::weightedOneOf<std::size_t>({{4, near_a_path}, {1, anywhere}}),
                  [=](std::size_t length) { return std::max(length, min_units); });
}

rc::Gen<std::vector<std::size_t>> steps(Mode mode) {
  std::vector<std::size_t> sizes{0, 16, 16, 32, 48, 64, 96, 128, 256};
  if (is_block_mode(mode))
    sizes.insert(sizes.end(), {1, 15, 17, 40});  // probes: the mode must refuse them
  else
    sizes.insert(sizes.end(), {1, 1, 2, 3, 7, 8, 9, 15, 17, 31, 33, 127, 129});
  return gen::mapcat(gen::element<std::size_t>(0, 0, 0, 1, 2, 3, 5, 8, 20), [=](std::size_t count) {
    return gen::container<std::vector<std::size_t>>(count, gen::elementOf(sizes));
  });
}

rc::Gen<std::uint64_t> any_number() {
  // Not gen::arbitrary, whose numbers are small when the size is.
  return [](rc::Random random, int) { return rc::shrinkable::just(static_cast<std::uint64_t>(random.next())); };
}

rc::Gen<Fill> fills() {
  using enum Fill::Kind;
  return gen::build<Fill>(gen::set(&Fill::kind, gen::element(zeros, ones, random, random, random, random, random)),
                          gen::set(&Fill::seed, any_number()));
}

rc::Gen<Spot> spots() {
  auto distance = gen::weightedOneOf<std::uint16_t>({{2, gen::just<std::uint16_t>(0)},
                                                     {4, gen::inRange<std::uint16_t>(0, 65)},
                                                     {1, gen::inRange<std::uint16_t>(0, Spot::max_distance + 1)}});
  return gen::build<Spot>(gen::set(&Spot::edge, gen::element(Spot::Edge::start, Spot::Edge::end)),
                          gen::set(&Spot::distance, distance));
}

rc::Gen<Spot> context_spots() {
  return gen::build<Spot>(gen::set(&Spot::edge, gen::element(Spot::Edge::end, Spot::Edge::start)),
                          gen::set(&Spot::distance, gen::element<std::uint16_t>(0, 1)));
}

rc::Gen<Placement> placements() {
  return gen::build<Placement>(gen::set(&Placement::in_place, gen::element(false, true)),
                               gen::set(&Placement::input, spots()), gen::set(&Placement::output, spots()),
                               gen::set(&Placement::key, spots()), gen::set(&Placement::iv, spots()),
                               gen::set(&Placement::context, context_spots()));
}

std::vector<std::size_t> chunks_of(const Draft& draft) {
  std::vector<std::size_t> chunks;
  std::size_t left = draft.length;
  for (const std::size_t step : draft.steps) {
    const bool probe = !takes_length(draft.shape.mode, step);
    if (probe && step > draft.length + block_bytes) continue;
    chunks.push_back(probe ? step : std::min(step, left));
    if (!probe) left -= chunks.back();
  }
  if (left > 0 || chunks.empty()) chunks.push_back(left);
  return chunks;
}

Key key_of(const Draft& draft) {
  Key key(draft.shape.key_size);
  std::ranges::copy(draft.key.bytes(key.bytes().size()), key.bytes().begin());
  return key;
}

void simplify_length(const Draft& draft, std::size_t min_units, std::vector<Draft>& out) {
  const std::size_t segment = segment_units(draft.shape.mode);
  const std::size_t one = is_block_mode(draft.shape.mode) ? block_bytes : 1;
  const auto propose = [&](std::size_t length) {
    length = std::max(length - length % one, min_units);
    if (length >= draft.length || (!out.empty() && out.back().length == length)) return;
    out.push_back(draft);
    out.back().length = length;
  };
  propose(min_units);
  propose(draft.length / 2);
  propose(draft.length - std::min(draft.length, segment));
  propose(draft.length - std::min(draft.length, one));
}

void simplify_steps(const Draft& draft, std::vector<Draft>& out) {
  if (draft.steps.empty()) return;
  out.push_back(draft);
  out.back().steps.clear();
  out.push_back(draft);
  out.back().steps.resize(draft.steps.size() / 2);
  for (std::size_t i = 0; i < draft.steps.size(); ++i) {
    out.push_back(draft);
    out.back().steps.erase(out.back().steps.begin() + static_cast<std::ptrdiff_t>(i));
    const std::size_t one = is_block_mode(draft.shape.mode) ? block_bytes : 1;
    const std::size_t half = draft.steps[i] / one / 2 * one;
    if (half == 0 || !takes_length(draft.shape.mode, draft.steps[i])) continue;
    out.push_back(draft);
    out.back().steps[i] = half;
  }
}

void simplify_placement(const Draft& draft, std::vector<Draft>& out) {
  if (draft.placement == Placement{}) return;
  out.push_back(draft);
  out.back().placement = {};
  if (draft.placement.in_place) {
    out.push_back(draft);
    out.back().placement.in_place = false;
  }
  for (Spot Placement::*spot : {&Placement::input, &Placement::output, &Placement::key, &Placement::iv}) {
    if (draft.placement.*spot == Spot{}) continue;
    out.push_back(draft);
    out.back().placement.*spot = {};
  }
  if (draft.placement.context != Placement{}.context) {
    out.push_back(draft);
    out.back().placement.context = Placement{}.context;
  }
}

void simplify_data(const Draft& draft, std::vector<Draft>& out) {
  for (Fill Draft::*fill : {&Draft::key, &Draft::iv, &Draft::input}) {
    if ((draft.*fill).kind == Fill::Kind::zeros) continue;
    out.push_back(draft);
    out.back().*fill = {};
  }
  for (std::size_t i = 0; i < draft.picks.size(); ++i) {
    if (draft.picks[i] == 0) continue;
    out.push_back(draft);
    out.back().picks[i] = 0;
  }
}

}  // namespace

std::uint64_t mix(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
  return seed ^ (seed >> 31);
}

Bytes Fill::bytes(std::size_t count) const {
  Bytes bytes(count, kind == Kind::ones ? 0xff : 0x00);
  if (kind != Kind::random) return bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::uint8_t>(mix(seed + 0x9e3779b97f4a7c15 * (i / 8)) >> (8 * (i % 8)));
  return bytes;
}

std::size_t Draft::pick(std::size_t which, std::size_t count) const {
  return static_cast<std::size_t>(picks[which] % count);
}

Case whole_case(const Draft& draft) {
  Block iv{};
  std::ranges::copy(draft.iv.bytes(iv.size()), iv.begin());
  return make_case(draft.shape, key_of(draft), iv, draft.input.bytes(bytes_for(draft.shape.mode, draft.length)),
                   draft.length);
}

Case handled_case(const Draft& draft) {
  Case c = whole_case(draft);
  c.chunks = chunks_of(draft);
  c.placement = draft.placement;
  return c;
}

std::vector<Draft> simpler(const Draft& draft, std::size_t min_units) {
  std::vector<Draft> out;
  simplify_length(draft, min_units, out);
  simplify_placement(draft, out);
  simplify_steps(draft, out);
  simplify_data(draft, out);
  return out;
}

rc::Gen<Draft> drafts(const Shape& shape, std::size_t min_units) {
  // The full size from the first test on: a run has few tests of each law, and small messages are frequent
  // enough among the lengths.
  const rc::Gen<Draft> values = gen::resize(
      rc::kNominalSize,
      gen::build<Draft>(gen::set(&Draft::shape, gen::just(shape)),
                        gen::set(&Draft::length, lengths(shape.mode, min_units)), gen::set(&Draft::key, fills()),
                        gen::set(&Draft::iv, fills()), gen::set(&Draft::input, fills()),
                        gen::set(&Draft::steps, steps(shape.mode)), gen::set(&Draft::placement, placements()),
                        gen::set(&Draft::picks, gen::map(gen::pair(any_number(), any_number()), [](const auto& picks) {
                          return std::array<std::uint64_t, 2>{picks.first, picks.second};
                        }))));
  return [=](const rc::Random& random, int size) {
    return rc::shrinkable::shrinkRecur(values(random, size).value(), [=](const Draft& draft) {
      return rc::seq::fromContainer(simpler(draft, min_units));
    });
  };
}

}  // namespace aesgate::props
