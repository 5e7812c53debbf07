#include "fuzz/boundary_cuts.h"

#include <algorithm>
#include <numeric>

#include "report/coverage.h"

namespace aesgate {
namespace {

using Chunks = std::vector<std::size_t>;

/// More calls than this add time and no new path.
constexpr std::size_t most_calls = 40;

/// How far from an end of the message it is cut: two blocks, and a unit more.
constexpr std::size_t nearby = 33;

constexpr std::array<std::size_t, 9> equal_blocks{1, 2, 3, 4, 6, 8, 16, 32, 64};

/// What divides the units of a mode: a call takes this many at least.
std::size_t step_of(Mode mode) { return is_block_mode(mode) ? block_bytes : 1; }

Chunks without_zeros(Chunks chunks) {
  std::erase(chunks, 0u);
  return chunks;
}

std::optional<Chunks> in_two(Mode mode, std::size_t length, std::size_t turn, bool from_end) {
  const std::size_t step = step_of(mode);
  const std::size_t steps = length / step;
  if (steps < 2) return std::nullopt;
  const std::size_t near = step * (1 + turn % std::min(nearby, steps - 1));
  return from_end ? Chunks{length - near, near} : Chunks{near, length - near};
}

/// Whole blocks before the block that is cut, of the `possible`: none, one, half, all.
std::size_t blocks_before(std::size_t possible, std::size_t turn) {
  const std::array<std::size_t, 4> choices{0, std::min<std::size_t>(possible, 1), possible / 2, possible};
  return choices[turn % choices.size()];
}

/// The second call begins within a block; `way` says where it ends.
std::optional<Chunks> within_blocks(Mode mode, std::size_t length, Cut way, std::size_t turn) {
  const std::size_t edge = edge_units(mode);
  std::size_t first = 0, second = 0;
  if (way == Cut::not_filled) {
    if (length < 2) return std::nullopt;
    // The second call may be the last: then the bytes that would fill the block lie past the end of the input.
    if (const std::size_t tail = length % edge; tail >= 2 && turn % 2 == 0) {
      second = 1 + turn / 2 % (tail - 1);
      return Chunks{length - second, second};
    }
    first = 1 + turn % std::min(edge - 2, length - 1);
    second = 1 + turn / 3 % std::min(edge - 1 - first, length - first);
  } else {
    if (length < edge + (way == Cut::overfilled ? 1 : 0)) return std::nullopt;
    first = 1 + turn % (edge - 1);
    second = edge - first;
    if (way == Cut::overfilled) second += 1 + turn / 2 % std::min(nearby, length - edge);
  }
  first += edge * blocks_before((length - first - second) / edge, turn / 5);
  return without_zeros({first, second, length - first - second});
}

std::optional<Chunks> at_edges(Mode mode, std::size_t length, std::size_t turn) {
  const std::size_t edge = edge_units(mode);
  const std::size_t whole = length / edge;
  if (whole < 2) return std::nullopt;
  const std::size_t first = 1 + turn % std::min(nearby, whole - 1);
  const std::size_t second = whole - first < 2 ? 1 : 1 + turn / 3 % std::min(nearby, whole - first - 1);
  return without_zeros({first * edge, second * edge, length - (first + second) * edge});
}

std::optional<Chunks> equal(Mode mode, std::size_t length, std::size_t turn) {
  const std::size_t step = step_of(mode);
  const std::size_t variants = is_block_mode(mode) ? 1 : 3;
  for (std::size_t tried = 0; tried < equal_blocks.size() * variants; ++tried, ++turn) {
    std::size_t chunk = edge_units(mode) * equal_blocks[turn % equal_blocks.size()];
    if (variants > 1) chunk += turn / equal_blocks.size() % variants - 1;
    if (chunk == step || chunk >= length || length / chunk > most_calls) continue;
    Chunks chunks(length / chunk, chunk);
    chunks.push_back(length % chunk);
    return without_zeros(chunks);
  }
  return std::nullopt;
}

std::optional<Chunks> singles(Mode mode, std::size_t length) {
  const std::size_t step = step_of(mode);
  if (length < 3 * step) return std::nullopt;
  const std::size_t count = std::min<std::size_t>(length / step, 20);
  Chunks chunks(count, step);
  chunks.push_back(length - count * step);
  return without_zeros(chunks);
}

/// In two where that can be, and `extra` in one of the places between calls, or two of them in all.
Chunks with(Mode mode, std::size_t length, std::size_t turn, std::size_t extra, std::size_t another) {
  Chunks chunks = in_two(mode, length, turn, turn % 2 == 0).value_or(without_zeros({length}));
  const std::size_t places = chunks.size() + 1;
  if (turn % (places + 1) < places) {
    chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(turn % (places + 1)), extra);
    return chunks;
  }
  Chunks all{extra};
  for (const std::size_t chunk : chunks) all.insert(all.end(), {chunk, another, extra});
  return all;
}

/// A length that must be refused: each within one block and within two, some beyond, and some around all of the message.
std::size_t refusable(std::size_t length, std::size_t turn) {
  static constexpr std::array<std::size_t, 37> lengths{1,  15, 8,  17, 31, 24, 33, 2,  3,  4,  5,  6,  7,
                                                       9,  10, 11, 12, 13, 14, 18, 19, 20, 21, 22, 23, 25,
                                                       26, 27, 28, 29, 30, 40, 47, 63, 65, 72, 127};
  static constexpr std::array<int, 6> around{1, 15, -1, 8, -8, -15};
  const std::size_t which = turn % (lengths.size() + around.size());
  if (which >= lengths.size()) {
    const int difference = around[which - lengths.size()];
    return length == 0 ? 7 : length + static_cast<std::size_t>(difference);  // modulo 2^64: a block or more is there
  }
  const std::size_t chosen = lengths[which];
  return chosen > length + 15 ? 1 + chosen % 15 : chosen;
}

}  // namespace

std::vector<Cut> cuts_of(Mode mode) {
  if (is_block_mode(mode))
    return {Cut::one_call, Cut::near_start, Cut::near_end, Cut::at_edges,
            Cut::equal,    Cut::singles,    Cut::empty,    Cut::refused};
  return {Cut::one_call,   Cut::near_start, Cut::near_end, Cut::not_filled, Cut::filled,
          Cut::overfilled, Cut::at_edges,   Cut::equal,    Cut::singles,    Cut::empty};
}

std::optional<std::vector<std::size_t>> cut(Mode mode, std::size_t length, Cut way, std::size_t turn) {
  switch (way) {
    case Cut::one_call: return without_zeros({length});
    case Cut::near_start: return in_two(mode, length, turn, false);
    case Cut::near_end: return in_two(mode, length, turn, true);
    case Cut::not_filled:
    case Cut::filled:
    case Cut::overfilled: return within_blocks(mode, length, way, turn);
    case Cut::at_edges: return at_edges(mode, length, turn);
    case Cut::equal: return equal(mode, length, turn);
    case Cut::singles: return singles(mode, length);
    case Cut::empty: return with(mode, length, turn, 0, 0);
    case Cut::refused: return with(mode, length, turn, refusable(length, turn), refusable(length, turn + 1));
    case Cut::pair: break;
  }
  return std::nullopt;
}

}  // namespace aesgate
