#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/secret.h"

namespace aesgate {

/// KeyTraces: looks for what a key may leave in memory: each of its round keys (FIPS-197 section 5.2; a key is its own
/// first ones), as it is and as the equivalent inverse cipher has it (section 5.3.5), in byte order and with the bytes
/// of each word reversed. What a bit-sliced form leaves is not found. The schedule is the second oracle's, not a
/// backend's.
class KeyTraces {
 public:
  explicit KeyTraces(const Key& key);
  ~KeyTraces();
  KeyTraces(const KeyTraces&) = delete;
  KeyTraces& operator=(const KeyTraces&) = delete;

  struct Trace {
    unsigned round;
    std::size_t offset;  // from the first byte of the memory
    std::size_t size;    // in bytes, from its first to its last: 16 for a whole one
  };

  /// The first round key in `memory`. A round key of few different bytes, such as that of the key of zeros, is not
  /// looked for: it would be found in memory that holds nothing.
  [[nodiscard]] std::optional<Trace> find(std::span<const std::uint8_t> memory) const;

  /// The same for half of one, two of its words: what is left where something else lies over the rest, or where only a
  /// part was wiped. They lie beside each other, or one lies 8 bytes behind the other.
  [[nodiscard]] std::optional<Trace> find_half(std::span<const std::uint8_t> memory) const;

 private:
  struct Pattern {
    Block bytes;
    unsigned round;
  };
  void add(const Block& round_key, unsigned round);

  std::vector<Pattern> patterns_;
  std::bitset<256> first_bytes_;
  std::bitset<65536> first_bytes_of_words_;  // two of each word: one would let half of all memory through
};

/// "round key 3", or "the key" where that is its first part; "half of round key 3".
[[nodiscard]] std::string name(const KeyTraces::Trace& trace);

}  // namespace aesgate
