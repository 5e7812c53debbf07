#include "core/key_traces.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "oracle/fips197.h"

namespace aesgate {
namespace {

constexpr std::size_t word = 4, half = block_bytes / 2;
constexpr std::size_t fewest_different_bytes = 8, fewest_in_a_half = 6;

std::size_t two_bytes(const std::uint8_t* at) { return at[0] | std::size_t{at[1]} << 8; }

/// Looks at each place of some memory, but not in the midst of one value: contexts of megabytes hold little else.
class Places {
 public:
  explicit Places(std::span<const std::uint8_t> memory) : memory_(memory) {}

  /// `at`, or a place behind it, before which no trace begins.
  std::size_t next(std::size_t at) {
    if (at < looked_until_) return at;
    while (at + stretch <= memory_.size() && std::memcmp(&memory_[at], &memory_[at] + 1, stretch - 1) == 0)
      at += stretch - block_bytes;
    looked_until_ = at + stretch / 4;
    return at;
  }

 private:
  static constexpr std::size_t stretch = 256;
  std::span<const std::uint8_t> memory_;
  std::size_t looked_until_ = 0;
};

std::size_t different_bytes(std::span<const std::uint8_t> bytes) {
  std::bitset<256> different;
  for (const std::uint8_t byte : bytes) different.set(byte);
  return different.count();
}

Block reversed_words(Block block) {
  for (std::size_t at = 0; at < block.size(); at += word)
    std::reverse(block.begin() + static_cast<std::ptrdiff_t>(at),
                 block.begin() + static_cast<std::ptrdiff_t>(at + word));
  return block;
}

}  // namespace

KeyTraces::KeyTraces(const Key& key) {
  fips197::KeySchedule schedule = fips197::KeyExpansion(key.bytes().data(), bits(key.size()));
  // Room for all: a vector that grows would leave copies behind.
  patterns_.reserve(4 * (schedule.Nr + 1));
  for (unsigned round = 0; round <= schedule.Nr; ++round) {
    Block round_key;
    for (unsigned i = 0; i < block_bytes; ++i) round_key[i] = schedule.w[4 * round + i / 4][i % 4];
    add(round_key, round);
    if (round == 0 || round == schedule.Nr) continue;
    fips197::State state = fips197::to_state(round_key.data());
    fips197::InvMixColumns(state);
    fips197::from_state(state, round_key.data());
    add(round_key, round);
  }
  wipe(&schedule, sizeof schedule);
}

KeyTraces::~KeyTraces() { wipe(patterns_.data(), patterns_.size() * sizeof(Pattern)); }

void KeyTraces::add(const Block& round_key, unsigned round) {
  if (different_bytes(round_key) < fewest_different_bytes) return;
  for (const Block& bytes : {round_key, reversed_words(round_key)}) {
    patterns_.push_back({bytes, round});
    first_bytes_.set(bytes[0]);
    for (std::size_t at = 0; at < block_bytes; at += word) first_bytes_of_words_.set(two_bytes(bytes.data() + at));
  }
}

std::optional<KeyTraces::Trace> KeyTraces::find(std::span<const std::uint8_t> memory) const {
  Places places(memory);
  for (std::size_t at = places.next(0); at + block_bytes <= memory.size(); at = places.next(at + 1)) {
    if (!first_bytes_[memory[at]]) continue;
    for (const Pattern& pattern : patterns_)
      // The first byte here: a call for each of fifty patterns took a fifth of the fuzz target's time.
      if (pattern.bytes[0] == memory[at] && std::memcmp(pattern.bytes.data(), memory.data() + at, block_bytes) == 0)
        return Trace{pattern.round, at, block_bytes};
  }
  return std::nullopt;
}

namespace {

/// Two words of a round key, and how far apart they lie: beside each other, each in a place of eight bytes, or every
/// second one.
struct Pair {
  std::size_t first, second, distance;
};
constexpr std::array<Pair, 6> pairs{{{0, 1, 4}, {2, 3, 4}, {0, 1, 8}, {2, 3, 8}, {0, 2, 8}, {1, 3, 8}}};

}  // namespace

std::optional<KeyTraces::Trace> KeyTraces::find_half(std::span<const std::uint8_t> memory) const {
  Places places(memory);
  for (std::size_t at = places.next(0); at + half <= memory.size(); at = places.next(at + 1)) {
    const std::uint8_t* const here = memory.data() + at;
    if (!first_bytes_of_words_[two_bytes(here)]) continue;
    for (const Pattern& pattern : patterns_)
      for (const auto& [first, second, distance] : pairs) {
        const std::uint8_t* const words = pattern.bytes.data();
        if (words[word * first] != *here || at + distance + word > memory.size() ||
            std::memcmp(words + word * first, here, word) != 0 ||
            std::memcmp(words + word * second, here + distance, word) != 0)
          continue;
        std::array<std::uint8_t, half> found;
        std::copy_n(here, word, found.begin());
        std::copy_n(here + distance, word, found.begin() + word);
        if (different_bytes(found) >= fewest_in_a_half) return Trace{pattern.round, at, distance + word};
      }
  }
  return std::nullopt;
}

std::string name(const KeyTraces::Trace& trace) {
  const std::string whole = trace.round == 0 ? "the key" : fmt::format("round key {}", trace.round);
  return trace.size == block_bytes ? whole : "half of " + whole;
}

}  // namespace aesgate
