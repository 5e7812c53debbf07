#pragma once

#include <optional>

#include "witness/aes_opcode.h"

namespace aesgate::witness {

/// Rounds: what one pass through AES rounds tells.
struct Rounds {
  unsigned count = 0;   // of one block, the last included: 10, 12 or 14
  unsigned blocks = 0;  // that were in flight at the same time
  [[nodiscard]] unsigned key_bits() const { return 32 * (count - 6); }
  friend auto operator<=>(const Rounds&, const Rounds&) = default;
};

/// RoundCount: finds Rounds in AES instructions one after the other, of one thread. Counted is what lies between two
/// groups of last rounds, so that it is whole wherever the first instruction was.
class RoundCount {
 public:
  /// Takes the next instruction; gives what it completes.
  [[nodiscard]] std::optional<Rounds> add(const AesOpcode& opcode);

  /// Were there a cipher's rounds: so many before their last rounds as AES can have, though some may be missing at the
  /// front? Hashes iterate AESENC without a last round, and key schedules use AESENCLAST without rounds before it.
  [[nodiscard]] bool saw_cipher() const { return saw_cipher_; }

 private:
  [[nodiscard]] std::optional<Rounds> close() const;

  bool whole_ = false;  // rounds_ has all since the last group
  bool in_group_ = false;
  bool saw_cipher_ = false;
  unsigned rounds_ = 0, lasts_ = 0;
};

}  // namespace aesgate::witness
