#include "core/key_traces.h"

#include <algorithm>
#include <cstring>

#include "oracle/fips197.h"

namespace aesgate {
namespace {

constexpr std::size_t half = block_bytes / 2;
constexpr std::size_t fewest_different_bytes = 8, fewest_in_a_half = 6;

std::size_t different_bytes(std::span<const std::uint8_t> bytes) {
  std::bitset<256> different;
  for (const std::uint8_t byte : bytes) different.set(byte);
  return different.count();
}

Block reversed_words(Block block) {
  for (std::size_t word = 0; word < block.size(); word += 4)
    std::reverse(block.begin() + static_cast<std::ptrdiff_t>(word),
                 block.begin() + static_cast<std::ptrdiff_t>(word + 4));
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
    for (const std::size_t at : {std::size_t{0}, half}) first_bytes_of_halves_.set(bytes[at]);
  }
}

std::optional<KeyTraces::Trace> KeyTraces::find(std::span<const std::uint8_t> memory) const {
  for (std::size_t at = 0; at + block_bytes <= memory.size(); ++at) {
    if (!first_bytes_[memory[at]]) continue;
    for (const Pattern& pattern : patterns_)
      // The first byte here: a call for each of fifty patterns took a fifth of the fuzz target's time.
      if (pattern.bytes[0] == memory[at] && std::memcmp(pattern.bytes.data(), memory.data() + at, block_bytes) == 0)
        return Trace{pattern.round, at, block_bytes};
  }
  return std::nullopt;
}

std::optional<KeyTraces::Trace> KeyTraces::find_half(std::span<const std::uint8_t> memory) const {
  for (std::size_t at = 0; at + half <= memory.size(); ++at) {
    if (!first_bytes_of_halves_[memory[at]]) continue;
    const std::span<const std::uint8_t> here = memory.subspan(at, half);
    for (const Pattern& pattern : patterns_)
      for (const std::size_t from : {std::size_t{0}, half})
        if (pattern.bytes[from] == here[0] && std::memcmp(pattern.bytes.data() + from, here.data(), half) == 0 &&
            different_bytes(here) >= fewest_in_a_half)
          return Trace{pattern.round, at, half};
  }
  return std::nullopt;
}

std::string name(const KeyTraces::Trace& trace) {
  const std::string whole = trace.round == 0 ? "the key" : fmt::format("round key {}", trace.round);
  return trace.size == block_bytes ? whole : "half of " + whole;
}

}  // namespace aesgate
