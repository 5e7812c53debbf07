#pragma once

#include <array>
#include <cstdint>

namespace aesgate::emulator {

/// RoundKeys: sixteen of them, of four columns each, the first row in the lowest byte.
using RoundKeys = std::array<std::array<std::uint32_t, 4>, 16>;

/// What the unit does with a round key or a block: 1 to 15 rounds, keys in their order of use. `intermediate`: the last
/// round is one like the others.
struct Cipher {
  unsigned rounds;
  bool inverse;  // the equivalent inverse cipher, FIPS-197 section 5.3.5
  bool intermediate;
};
void run_cipher(const Cipher& cipher, const RoundKeys& keys, std::array<std::uint32_t, 4>& block);

/// The unit's own schedule, for the first four columns, which are the key: FIPS-197 section 5.2.
void generate_keys(RoundKeys& keys);

/// The same for the equivalent inverse cipher of so many rounds.
void invert_keys(RoundKeys& keys, unsigned rounds);

}  // namespace aesgate::emulator
