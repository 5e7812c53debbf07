#pragma once

#include "modes/engine.h"

namespace aesgate {

/// One block's encryption, apart from the outer AddRoundKeys: LastRound(… state …) ^ operand. The serial modes are
/// chains of it and of nothing else: the operand also adds what the next block's first AddRoundKey would, so the
/// result is the next state, and the output is worked out beside the chain.
template <typename Single, typename Keys>
[[gnu::always_inline]] inline typename Single::Vector encrypt_one(const Keys& keys, typename Single::Vector state,
                                                                  typename Single::Vector operand) {
  typename Single::Vector x[1] = {state};
  Single::encrypt(
      keys, x, [&](unsigned) __attribute__((always_inline)) { return operand; });
  return x[0];
}

/// The cipher of the block in `chain`, which holds it with the first round key added, written to `chain`.
template <typename Single, typename Keys>
[[gnu::always_inline]] inline void encrypt_whitened(const Keys& keys, std::uint8_t* chain) {
  Single::store(chain, encrypt_one<Single>(keys, Single::load(chain), Single::last_key(keys)));
}

}  // namespace aesgate
