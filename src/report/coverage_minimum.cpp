#include "report/coverage_minimum.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace aesgate {
namespace {

/// By Split, in its order.
using Row = std::array<std::uint16_t, split_count>;

/// By size class: without a tail, with one.
using Table = std::array<std::array<Row, 2>, size_classes.size()>;

constexpr Row none{};

// clang-format off
/// ECB and CBC, which have no tails.
constexpr Table blocks{{
    {{Row{32, 0, 0, 0, 0, 10, 10}, none}},  // 0
    {{none, none}},  // <1
    {{Row{41, 0, 0, 0, 0, 10, 10}, none}},  // 1
    {{Row{39, 156, 0, 0, 0, 21, 21}, none}},  // 2-3
    {{Row{61, 338, 0, 0, 0, 43, 43}, none}},  // 4-7
    {{Row{52, 320, 0, 0, 0, 43, 43}, none}},  // 8-15
    {{Row{61, 338, 0, 0, 0, 43, 43}, none}},  // 16-31
    {{Row{52, 320, 0, 0, 0, 43, 43}, none}},  // 32-63
    {{Row{61, 338, 0, 0, 0, 43, 43}, none}},  // 64-255
    {{Row{32, 172, 0, 0, 0, 21, 21}, none}},  // 256+
}};

/// CFB1: a tail is a part of a byte.
constexpr Table bits_of_cfb1{{
    {{Row{10, 0, 0, 0, 0, 5, 0}, none}},  // 0
    {{none, none}},  // <1
    {{none, Row{21, 0, 0, 0, 0, 5, 0}}},  // 1
    {{none, Row{28, 0, 66, 0, 0, 10, 0}}},  // 2-3
    {{none, Row{39, 0, 132, 0, 0, 21, 0}}},  // 4-7
    {{Row{14, 0, 10, 36, 0, 5, 0}, Row{16, 17, 58, 16, 48, 16, 0}}},  // 8-15
    {{Row{19, 16, 21, 46, 23, 10, 0}, Row{19, 24, 42, 10, 72, 10, 0}}},  // 16-31
    {{Row{21, 42, 45, 47, 64, 21, 0}, Row{19, 25, 29, 14, 81, 10, 0}}},  // 32-63
    {{Row{43, 72, 86, 80, 154, 43, 0}, Row{21, 42, 57, 22, 108, 21, 0}}},  // 64-255
    {{Row{50, 56, 64, 57, 130, 32, 0}, Row{25, 34, 35, 16, 96, 16, 0}}},  // 256+
}};

/// CFB8: a tail is a part of a block.
constexpr Table bytes_of_cfb8{{
    {{Row{10, 0, 0, 0, 0, 5, 0}, none}},  // 0
    {{none, none}},  // <1
    {{none, Row{21, 0, 0, 0, 0, 5, 0}}},  // 1
    {{none, Row{28, 0, 66, 0, 0, 10, 0}}},  // 2-3
    {{none, Row{39, 0, 130, 0, 0, 21, 0}}},  // 4-7
    {{none, Row{30, 0, 118, 0, 0, 21, 0}}},  // 8-15
    {{Row{14, 0, 10, 36, 0, 5, 0}, Row{25, 10, 78, 16, 67, 16, 0}}},  // 16-31
    {{Row{10, 13, 21, 45, 23, 10, 0}, Row{19, 18, 77, 12, 106, 10, 0}}},  // 32-63
    {{Row{43, 61, 88, 108, 151, 43, 0}, Row{21, 31, 114, 25, 320, 21, 0}}},  // 64-255
    {{Row{45, 38, 54, 68, 101, 27, 0}, Row{25, 33, 40, 17, 107, 16, 0}}},  // 256+
}};

/// CFB128 and OFB.
constexpr Table streams{{
    {{Row{10, 0, 0, 0, 0, 5, 0}, none}},  // 0
    {{none, Row{55, 0, 212, 0, 0, 48, 0}}},  // <1
    {{Row{14, 0, 10, 36, 0, 5, 0}, Row{10, 4, 54, 10, 42, 10, 0}}},  // 1
    {{Row{28, 17, 21, 58, 25, 10, 0}, Row{21, 39, 114, 23, 134, 21, 0}}},  // 2-3
    {{Row{39, 34, 45, 59, 84, 21, 0}, Row{43, 72, 157, 46, 294, 43, 0}}},  // 4-7
    {{Row{30, 33, 43, 46, 89, 21, 0}, Row{43, 63, 138, 45, 282, 43, 0}}},  // 8-15
    {{Row{39, 36, 43, 53, 81, 21, 0}, Row{43, 72, 105, 50, 195, 43, 0}}},  // 16-31
    {{Row{30, 33, 43, 54, 72, 21, 0}, Row{43, 70, 100, 45, 181, 43, 0}}},  // 32-63
    {{Row{34, 27, 32, 45, 58, 16, 0}, Row{32, 47, 81, 32, 147, 32, 0}}},  // 64-255
    {{Row{14, 9, 10, 11, 27, 5, 0}, Row{7, 10, 10, 5, 32, 5, 0}}},  // 256+
}};
// clang-format on

const Table& table_of(Mode mode) {
  switch (mode) {
    case Mode::ecb:
    case Mode::cbc: return blocks;
    case Mode::cfb1: return bits_of_cfb1;
    case Mode::cfb8: return bytes_of_cfb8;
    case Mode::cfb128:
    case Mode::ofb: break;
  }
  return streams;
}

/// What share of a size class's Cases has a trait, in hundredths. What costs more than a Case has few.
std::uint64_t share_of(Trait trait) {
  switch (trait) {
    case Trait::in_place: return 45;
    case Trait::another_message:
    case Trait::restarted:
    case Trait::started_again:
    case Trait::company: return 13;
    case Trait::threads:
    case Trait::timer:
    case Trait::migration: return 0;
    case Trait::input_at_start:
    case Trait::input_at_end: return 27;
    case Trait::input_unaligned: return 23;
    case Trait::output_at_start:
    case Trait::output_at_end: return 5;
    case Trait::output_unaligned: return 14;
    case Trait::key_at_start:
    case Trait::key_at_end:
    case Trait::iv_at_start:
    case Trait::iv_at_end: return 14;
    case Trait::key_unaligned:
    case Trait::iv_unaligned: return 32;
    case Trait::context_at_start:
    case Trait::context_at_end: return 5;
  }
  return 0;
}

/// The least of a whole shape, where that is more than what the size classes add up to.
std::uint64_t costly(Trait trait) {
  return trait == Trait::threads || trait == Trait::timer || trait == Trait::migration ? 12 : 0;
}

bool has(Mode mode, Trait trait) {
  const bool of_iv = trait == Trait::iv_at_start || trait == Trait::iv_at_end || trait == Trait::iv_unaligned;
  return !of_iv || has_iv(mode);
}

/// The Cases of a size class: each has one of the first kinds of split.
std::uint64_t least_of_size(Mode mode, std::size_t size) {
  std::uint64_t sum = 0;
  for (const Row& row : table_of(mode)[size])
    for (std::size_t split = 0; split < static_cast<std::size_t>(Split::empty_calls); ++split) sum += row[split];
  return sum;
}

class Check {
 public:
  void expect(std::uint64_t ran, std::uint64_t least, const std::string& what) {
    if (least == 0) return;
    ++check_.classes;
    if (ran < least) check_.short_of.push_back({what, ran, least});
  }
  CoverageCheck take() { return std::move(check_); }

 private:
  CoverageCheck check_;
};

}  // namespace

std::uint64_t least_cases(Mode mode, std::size_t size, bool tail, Split split, Extent extent) {
  const std::uint64_t least = table_of(mode)[size][tail][static_cast<std::size_t>(split)];
  return extent == Extent::core ? std::min<std::uint64_t>(least, 1) : least;
}

std::uint64_t least_cases(Mode mode, std::size_t size, Trait trait, Extent extent) {
  if (extent == Extent::core || !has(mode, trait)) return 0;
  // Of fewer Cases a share is not to be counted on.
  const std::uint64_t cases = least_of_size(mode, size);
  return cases < 90 ? 0 : cases * share_of(trait) / 100;
}

std::uint64_t least_in_shape(Mode mode, Trait trait, Extent extent) {
  if (!has(mode, trait)) return 0;
  // The costly ones are too few to be sure of in the core.
  if (extent == Extent::core) return costly(trait) > 0 ? 0 : 1;
  return costly(trait);
}

CoverageCheck check_coverage(Mode mode, const Coverage& coverage, Extent extent) {
  Check check;
  for (std::size_t size = 0; size < size_classes.size(); ++size) {
    for (const bool tail : {false, true})
      for (std::size_t i = 0; i < split_count; ++i) {
        const auto split = static_cast<Split>(i);
        check.expect(coverage.count(size, tail, split), least_cases(mode, size, tail, split, extent),
                     fmt::format("{}, {}", size_text(mode, size, tail), name(split)));
      }
    for (std::size_t i = 0; i < trait_count; ++i) {
      const auto trait = static_cast<Trait>(i);
      check.expect(coverage.count(size, trait), least_cases(mode, size, trait, extent),
                   fmt::format("{}, {}", size_text(mode, size, false), name(trait)));
    }
  }
  for (std::size_t i = 0; i < trait_count; ++i) {
    const auto trait = static_cast<Trait>(i);
    std::uint64_t ran = 0;
    for (std::size_t size = 0; size < size_classes.size(); ++size) ran += coverage.count(size, trait);
    check.expect(ran, least_in_shape(mode, trait, extent), fmt::format("any size, {}", name(trait)));
  }
  return check.take();
}

}  // namespace aesgate
