#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/shape.h"

namespace aesgate::witness {

/// KnownMessage: a message under a key, and what AES goes through for it, by FIPS-197 and SP 800-38A spelled out
/// (oracle/fips197.h). Units are the shape's.
struct KnownMessage {
  Bytes output;
  std::size_t blocks = 0;  // calls of the block cipher that the mode makes

  /// The state before the last round of each: what an AESENCLAST or AESDECLAST is given that computes it, whichever way
  /// the mode folds its XORs into the round keys before or after; in CFB and OFB the next block's behind them, which
  /// some compute ahead.
  std::vector<Block> last_states;
};
[[nodiscard]] KnownMessage known_message(const Shape& shape, ByteView key, const Block& iv, ByteView input,
                                         std::size_t length);

}  // namespace aesgate::witness
