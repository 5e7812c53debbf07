#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"

namespace aesgate {

// What a run states about the Cases that it ran, and the least that it must state. All of it is read off a Case when it
// is judged, and not off the list that the Case was made from: a Case that never ran counts nowhere.

/// SizeClass: the length of a message in cipher calls, as `least` or more of them up to the next class. A cipher call
/// makes a segment: a bit in CFB1, a byte in CFB8, a block elsewhere.
struct SizeClass {
  std::string_view name;
  std::size_t least;
};
inline constexpr std::array<SizeClass, 10> size_classes{{{"0", 0},
                                                         {"<1", 0},
                                                         {"1", 1},
                                                         {"2-3", 2},
                                                         {"4-7", 4},
                                                         {"8-15", 8},
                                                         {"16-31", 16},
                                                         {"32-63", 32},
                                                         {"64-255", 64},
                                                         {"256+", 256}}};

/// Split: how the calls of a Case cut its message. A Case has one of the first five, and may have the last two. An edge
/// is where a call may end without leaving something half done: between blocks; in CFB1, which packs bits, between
/// bytes.
enum class Split : std::uint8_t {
  one_call,       // all at once; also no call at all
  at_edges,       // several, each of which begins at an edge
  not_filled,     // one begins within a block and ends before that block does
  filled,         // none of these, and one begins within a block and ends with it
  overfilled,     // neither, and one begins within a block and goes on past its end
  empty_calls,    // some have a length of 0
  refused_calls,  // some have a length that the mode cannot take
};
inline constexpr std::size_t split_count = 7;
[[nodiscard]] std::string_view name(Split split);

/// Trait: what else a Case may have, several at once.
enum class Trait : std::uint8_t {
  in_place,
  another_message,
  restarted,
  started_again,  // the three from Conditions::Memory
  company,
  threads,
  timer,
  migration,
  input_at_start,   // its first byte right behind the lower page that may not be touched
  input_at_end,     // its last byte right before the upper one
  input_unaligned,  // at no multiple of 16
  output_at_start,
  output_at_end,
  output_unaligned,  // the three not in place
  key_at_start,
  key_at_end,
  key_unaligned,
  iv_at_start,
  iv_at_end,
  iv_unaligned,  // the three not in ECB
  context_at_start,
  context_at_end,
};
inline constexpr std::size_t trait_count = 22;
[[nodiscard]] std::string_view name(Trait trait);

/// The edges of Split, in units.
[[nodiscard]] constexpr std::size_t edge_units(Mode mode) { return mode == Mode::cfb1 ? 8 : block_bytes; }

/// The place in size_classes of a message of `length` units.
[[nodiscard]] std::size_t size_class(Mode mode, std::size_t length);

/// CaseClass: where a Case counts.
struct CaseClass {
  std::size_t size = 0;      // in size_classes
  bool tail = false;         // it ends at no edge
  std::uint32_t splits = 0;  // bits, by Split
  std::uint32_t traits = 0;  // bits, by Trait

  [[nodiscard]] bool has(Split split) const { return (splits >> static_cast<unsigned>(split) & 1u) != 0; }
  [[nodiscard]] bool has(Trait trait) const { return (traits >> static_cast<unsigned>(trait) & 1u) != 0; }
};
[[nodiscard]] CaseClass classify(const Case& c);

/// Coverage: how many Cases ran, by size class and tail and split, and by size class and trait.
class Coverage {
 public:
  void add(const CaseClass& c);
  void add(const Coverage& other);

  [[nodiscard]] std::uint64_t cases() const { return cases_; }
  [[nodiscard]] std::uint64_t cases(std::size_t size) const { return by_size_[size]; }
  [[nodiscard]] std::uint64_t count(std::size_t size, bool tail, Split split) const {
    return by_split_[size][tail][static_cast<std::size_t>(split)];
  }
  [[nodiscard]] std::uint64_t count(std::size_t size, Trait trait) const {
    return by_trait_[size][static_cast<std::size_t>(trait)];
  }

 private:
  std::uint64_t cases_ = 0;
  std::array<std::uint64_t, size_classes.size()> by_size_{};
  std::array<std::array<std::array<std::uint32_t, split_count>, 2>, size_classes.size()> by_split_{};
  std::array<std::array<std::uint32_t, trait_count>, size_classes.size()> by_trait_{};
};

/// "8-15 blocks and a part of one", "1 bit": a size class for a person.
[[nodiscard]] std::string size_text(Mode mode, std::size_t size, bool tail);

}  // namespace aesgate
