#include "fuzz/boundary_cases.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "fuzz/prng.h"
#include "report/coverage.h"

namespace aesgate {
namespace {

using Input = BoundaryPoint::Input;
constexpr std::array inputs{Input::at_end, Input::at_start, Input::offset};

/// Where loops over blocks change: the widths of registers times the registers in flight, one less, one more.
constexpr std::array<std::size_t, 25> block_counts{1,  2,  3,  4,  5,  6,  7,  8,  9,   12,  15,  16, 17,
                                                   24, 31, 32, 33, 48, 63, 64, 65, 128, 255, 256, 257};

/// Of those, the powers of two: in CFB1 and CFB8, where a message of so many segments costs as much, only these get one
/// segment more and less in what bytes and blocks they make.
constexpr bool is_power_of_two(std::size_t count) { return (count & (count - 1)) == 0; }

/// The lengths of a mode, in units, in order.
std::vector<std::size_t> lengths_of(Mode mode) {
  std::set<std::size_t> lengths{0};
  const std::size_t edge = edge_units(mode);
  for (const std::size_t count : block_counts) {
    if (is_block_mode(mode)) {
      lengths.insert(count * edge);
    } else if (segment_units(mode) > 1) {
      // 255 and 257 are 4 KiB and a block less or more, which is a byte here.
      if (count != 255 && count != 257) lengths.insert({count * edge - 1, count * edge, count * edge + 1});
    } else {
      // A segment is a bit or a byte, and makes a cipher call.
      lengths.insert(count);
      if (count * edge > 520) continue;
      lengths.insert(count * edge);
      if (is_power_of_two(count)) lengths.insert({count * edge - 1, count * edge + 1});
    }
  }
  if (!is_block_mode(mode)) lengths.insert({1, 2, 3, 5, 7, 8, 9, 12});
  return {lengths.begin(), lengths.end()};
}

class Builder {
 public:
  Builder(Mode mode, Effort effort) : mode_(mode), effort_(effort) {}

  BoundaryLattice build() {
    product();
    pairs_of_carries();
    other_messages();
    segment_units(mode_) > 1 ? long_messages() : long_messages_of_segments();
    return in_order();
  }

 private:
  void add(BoundaryMessage message, std::size_t length, Cut way, std::size_t turn, bool in_place, Input input) {
    if (auto chunks = cut(mode_, length, way, turn))
      points_.push_back({message, way, in_place, input, length, std::move(*chunks)});
  }

  void product() {
    // Block modes have fewer lengths and ways to cut: twice, which visits more of what a way leaves open.
    const std::size_t rounds = is_block_mode(mode_) ? 2 : 1;
    std::size_t row = 0;
    for (const std::size_t length : lengths_of(mode_)) {
      ++row;
      for (const Cut way : cuts_of(mode_)) {
        std::size_t column = 0;
        for (std::size_t round = 0; round < rounds; ++round)
          for (const bool in_place : {false, true})
            for (const Input input : inputs) {
              // Steps that have no factor in common with what they are taken modulo (43, 33, 15, 27, 14, 9, 5, 4).
              const auto message =
                  (row / 2 + column) % 2 == 0 ? BoundaryMessage::random : BoundaryMessage::another_random;
              add(message, length, way, row * 7 + column++ * 61, in_place, input);
            }
      }
    }
  }

  /// Calls that end at each place of a block, and after them such that end at each place again.
  void pairs_of_carries() {
    if (is_block_mode(mode_)) return;
    static constexpr std::array<std::size_t, 4> before{0, 1, 2, 5}, between{0, 1, 2, 9};
    const std::size_t edge = edge_units(mode_);
    std::size_t turn = 0;
    for (std::size_t first = 0; first < edge; ++first)
      for (std::size_t second = 0; second < edge; ++second, ++turn)
        for (const bool in_place : {false, true}) {
          std::vector<std::size_t> chunks{before[turn % 4] * edge + first,
                                          between[(turn / 4 + first) % 4] * edge + second,
                                          1 + (turn * 11 + first) % (2 * edge + 3)};
          std::erase(chunks, 0u);
          const std::size_t length = std::accumulate(chunks.begin(), chunks.end(), std::size_t{0});
          points_.push_back({BoundaryMessage::random, Cut::pair, in_place,
                             inputs[(turn + turn / 3 + in_place) % inputs.size()], length, std::move(chunks)});
        }
  }

  void other_messages() {
    static constexpr std::array<std::size_t, 12> lengths{1, 2, 3, 4, 5, 8, 16, 17, 33, 64, 65, 256};
    std::size_t turn = 0;
    for (std::size_t message = 2; message < boundary_message_count; ++message)
      for (const std::size_t blocks : lengths)
        for (const Cut way : {Cut::one_call, Cut::near_start, Cut::equal})
          for (const bool in_place : {false, true}) {
            ++turn;
            std::size_t length = blocks * block_bytes;
            if (segment_units(mode_) == 1) length = blocks > 33 ? 4 * blocks : blocks;
            if (!is_block_mode(mode_) && turn % 3 == 0) ++length;
            add(static_cast<BoundaryMessage>(message), length, way, turn * 7, in_place,
                inputs[(turn + turn / 3) % inputs.size()]);
          }
  }

  /// Where a driver splits what it is given, and a counter of 16 bits ends.
  void long_messages() {
    static constexpr std::size_t KiB = 1024, MiB = KiB * KiB;
    std::vector<std::size_t> lengths{64 * KiB};
    if (effort_ == Effort::deep) lengths = {64 * KiB, 128 * KiB, MiB, 4 * MiB};
    std::size_t turn = 0;
    for (const std::size_t length : lengths)
      for (const std::size_t delta : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
        for (const bool in_place : {false, true}) {
          const std::size_t unit = is_block_mode(mode_) ? block_bytes : 1;
          // The length itself in one call, and the others in every way.
          const Cut way = delta == 1
                              ? Cut::one_call
                              : std::array{Cut::one_call, Cut::near_start, Cut::near_end, Cut::at_edges}[turn % 4];
          add(BoundaryMessage::random, length + delta * unit - unit, way, turn * 7, in_place, inputs[turn % 2]);
          ++turn;
        }
  }

  /// Each segment is a cipher call: a few, past a page, and one past what 16 bits count.
  void long_messages_of_segments() {
    static constexpr std::size_t KiB = 1024;
    std::size_t turn = 0;
    for (const std::size_t length : {4 * KiB - 1, 4 * KiB, 4 * KiB + 1, 4 * KiB + 9})
      for (const bool in_place : {false, true}) {
        add(BoundaryMessage::random, length, turn < 4 ? Cut::one_call : Cut::near_start, turn * 7, in_place,
            inputs[turn % inputs.size()]);
        ++turn;
      }
    add(BoundaryMessage::random, 64 * KiB + 9, Cut::one_call, turn, false, Input::at_end);
    add(BoundaryMessage::random, 8 * KiB - 1, Cut::near_end, turn, true, Input::at_start);
  }

  /// The core first, by length, and the others so that neighbours are far apart.
  BoundaryLattice in_order() {
    BoundaryLattice lattice;
    // A step of the golden ratio of the whole, without a factor in common with it.
    const std::size_t count = points_.size();
    std::size_t step = count * 618 / 1000;
    while (std::gcd(step, count) != 1) ++step;
    std::map<std::tuple<std::size_t, bool, std::size_t>, int> seen;
    std::vector<BoundaryPoint> others;
    for (std::size_t i = 0, at = 0; i < count; ++i, at = (at + step) % count) {
      bool is_new = false;
      Case c;
      c.shape.mode = mode_;
      c.length = points_[at].length;
      c.chunks = points_[at].chunks;
      const CaseClass of = classify(c);
      for (std::size_t split = 0; split < split_count; ++split)
        if (of.has(static_cast<Split>(split))) is_new |= ++seen[{of.size, of.tail, split}] <= 2;
      (is_new ? lattice.points : others).push_back(std::move(points_[at]));
    }
    std::ranges::stable_sort(lattice.points, {}, &BoundaryPoint::length);
    lattice.core = lattice.points.size();
    std::ranges::move(others, std::back_inserter(lattice.points));
    return lattice;
  }

  Mode mode_;
  Effort effort_;
  std::vector<BoundaryPoint> points_;
};

Spot drawn_spot(Prng& prng) {
  switch (prng.below(4)) {
    case 0: return {Spot::Edge::end, 0};
    case 1: return {Spot::Edge::start, 0};
    default:
      return {prng.one_in(2) ? Spot::Edge::end : Spot::Edge::start, static_cast<std::uint16_t>(prng.between(1, 63))};
  }
}

Conditions drawn_conditions(Prng& prng, std::size_t turn) {
  Conditions conditions;
  conditions.memory = static_cast<Conditions::Memory>(prng.below(4));
  if (prng.one_in(4)) conditions.company = static_cast<std::uint8_t>(prng.between(1, 3));
  // A thread, a timer or another CPU takes longer than all else: a few Cases have one of them, as few all three.
  const std::size_t costly = turn % 384;
  if (costly == 0 || costly == 288) conditions.threads = static_cast<std::uint8_t>(prng.between(1, 2));
  // With both, whatever the timer interrupts waits for a call of another thread.
  conditions.timer = costly == 96 || costly == 288 || (costly == 0 && prng.one_in(2));
  conditions.migration = costly == 192 || costly == 288;
  return conditions;
}

}  // namespace

const BoundaryLattice& boundary_lattice(Mode mode, Effort effort) {
  static std::mutex mutex;
  static std::map<std::pair<Mode, bool>, BoundaryLattice> all;
  const std::lock_guard lock(mutex);
  const std::pair key{mode, effort == Effort::deep};
  const auto found = all.find(key);
  return found != all.end() ? found->second : all.emplace(key, Builder(mode, effort).build()).first->second;
}

BoundaryCase boundary_case(const Shape& shape, std::size_t number, Effort effort) {
  const BoundaryPoint& point = boundary_lattice(shape.mode, effort).points[number];
  Prng prng(Prng((index(shape) << 32) + number).next());
  const std::size_t block = prng.below(boundary_starts(shape.mode, point.message, point.length, effort));
  BoundaryCase made = boundary_message(shape, point.message, block, point.length, effort);
  Case& c = made.c;
  c.chunks = point.chunks;
  Placement& placement = c.placement;
  placement.in_place = point.in_place;
  placement.input = {point.input == Input::at_end ? Spot::Edge::end : Spot::Edge::start, 0};
  if (point.input == Input::offset)
    placement.input = {prng.one_in(2) ? Spot::Edge::end : Spot::Edge::start,
                       static_cast<std::uint16_t>(prng.between(1, 63))};
  for (Spot* spot : {&placement.output, &placement.key, &placement.iv}) *spot = drawn_spot(prng);
  placement.context = {prng.one_in(2) ? Spot::Edge::end : Spot::Edge::start, static_cast<std::uint16_t>(prng.below(4))};
  // Not the same numbers in each shape.
  c.conditions = drawn_conditions(prng, number + 31 * index(shape));
  c.origin = fmt::format("boundary case {}", number);
  return made;
}

}  // namespace aesgate
