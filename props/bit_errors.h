#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/shape.h"

// SP 800-38A appendix D: what a changed bit of a message or an IV does to the output. All positions
// here are in bits, most significant first.

namespace aesgate::props {

/// Bits [from, to).
struct BitRange {
  std::size_t from, to;
};

/// Effect: which bits of the output change. Bits named nowhere must stay. The standard's "random bit
/// errors" are split in what can be tested: they may be anything (`free`), and where a permutation makes
/// two outputs of one from two inputs, a block must differ somewhere (`differing`).
struct Effect {
  std::vector<std::size_t> flipped;  // must change: "specific bit errors"
  std::vector<BitRange> free;
  std::vector<BitRange> differing;
};

/// The effect of flipping some bits of the message, all in one segment: ciphertext in a decrypting shape
/// (Table D.1), plaintext in an encrypting one (the equations of section 6). `bits` is the message's length.
[[nodiscard]] Effect effect_of_message_flip(const Shape& shape, std::size_t bits,
                                            const std::vector<std::size_t>& flips);

/// The effect of flipping one bit of the IV (Table D.2 in a decrypting shape).
[[nodiscard]] Effect effect_of_iv_flip(const Shape& shape, std::size_t bits, std::size_t flip);

/// Empty if the change from `before` to `after`, outputs of `bits` bits, is that effect; else what is not.
[[nodiscard]] std::string contradiction(const Effect& effect, ByteView before, ByteView after, std::size_t bits);

}  // namespace aesgate::props
