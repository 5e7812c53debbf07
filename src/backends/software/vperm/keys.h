#pragma once

#include "backends/software/key_schedule.h"

namespace aesgate {

/// VpermKeys: the outer round keys as they are, those between as Engine::to_state() makes them. S(a) without FIPS-197's
/// constant 63 is what the engines compute: the key added after a SubBytes, or before an InvSubBytes, has it.
/// MixColumns leaves it as it is.
template <typename Engine, unsigned Rounds>
struct VpermKeys {
  alignas(16) std::uint8_t first[16];
  alignas(16) std::uint8_t last[16];
  alignas(16) std::uint8_t middle[Rounds - 1][16];
};

/// VpermSchedule: makes them. Engine has:
///
///     static std::uint32_t substitute(std::uint32_t);          SubWord() of FIPS-197
///     template <bool Inverse> static void to_state(uint8_t* block);
///                                                     a block in the form that the state has between two rounds
template <typename Engine>
struct VpermSchedule {
  template <unsigned Rounds>
  using Keys = VpermKeys<Engine, Rounds>;

  template <unsigned Rounds>
  static void expand_encrypt(VpermKeys<Engine, Rounds>& keys, const std::uint8_t* key) {
    Expansion<Engine, Rounds> expansion;
    expansion.expand(key);
    expansion.store(keys.first, 0, 0);
    expansion.store(keys.last, Rounds, 0x63);
    for (unsigned round = 1; round < Rounds; ++round) {
      expansion.store(keys.middle[round - 1], round, 0x63, round);
      Engine::template to_state<false>(keys.middle[round - 1]);
    }
  }

  template <unsigned Rounds>
  static void expand_decrypt(VpermKeys<Engine, Rounds>& keys, const std::uint8_t* key) {
    Expansion<Engine, Rounds> expansion;
    expansion.expand_inverse(key);
    expansion.store(keys.first, 0, 0x63);
    expansion.store(keys.last, Rounds, 0);
    for (unsigned round = 1; round < Rounds; ++round) {
      expansion.store(keys.middle[round - 1], round, 0x63, 3 * round);
      Engine::template to_state<true>(keys.middle[round - 1]);
    }
  }
};

}  // namespace aesgate
