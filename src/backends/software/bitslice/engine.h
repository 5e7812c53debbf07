#pragma once

#include "backends/software/bitslice/circuit.h"
#include "backends/software/bitslice/rounds.h"
#include "backends/software/key_schedule.h"

// From bit planes to an engine (modes/engine.h). V is as in rounds.h, and has:
//
//     static void make_key(RoundKey&, const uint8_t* block);

namespace aesgate {

/// SlicedKeys: the outer round keys as blocks, those between as planes. S(a) without FIPS-197's constant 63 is what the
/// circuits make: the key added after a SubBytes, or before an InvSubBytes, has it. MixColumns leaves it as it is.
template <typename V, unsigned Rounds>
struct SlicedKeys {
  alignas(16) std::uint8_t first[16];
  alignas(16) std::uint8_t last[16];
  typename V::RoundKey middle[Rounds - 1];
};

/// SlicedSchedule: makes them.
template <typename V>
struct SlicedSchedule {
  struct Bytes {
    using Plane = std::uint32_t;
    using Circuit = aesgate::Circuit<Bytes>;
  };

  /// SubWord(): a word and its shifts are planes already, whose lowest bit in each byte counts.
  static std::uint32_t substitute(std::uint32_t word) {
    std::uint32_t q[8];
    for (unsigned b = 0; b < 8; ++b) q[b] = word >> b;
    Bytes::Circuit::substitute(q);
    std::uint32_t sum = 0x63636363;
    for (unsigned b = 0; b < 8; ++b) sum ^= (q[b] & 0x01010101) << b;
    return sum;
  }

  template <unsigned Rounds>
  static void expand_encrypt(SlicedKeys<V, Rounds>& keys, const std::uint8_t* key) {
    Expansion<SlicedSchedule, Rounds> expansion;
    expansion.expand(key);
    expansion.store(keys.first, 0, 0);
    expansion.store(keys.last, Rounds, 0x63);
    make_middle(keys, expansion, 1);
  }

  template <unsigned Rounds>
  static void expand_decrypt(SlicedKeys<V, Rounds>& keys, const std::uint8_t* key) {
    Expansion<SlicedSchedule, Rounds> expansion;
    expansion.expand_inverse(key);
    expansion.store(keys.first, 0, 0x63);
    expansion.store(keys.last, Rounds, 0);
    make_middle(keys, expansion, 3);  // an InvShiftRows is three ShiftRows
  }

 private:
  template <unsigned Rounds>
  static void make_middle(SlicedKeys<V, Rounds>& keys, const Expansion<SlicedSchedule, Rounds>& expansion,
                          unsigned shifts) {
    std::uint8_t block[16];
    for (unsigned round = 1; round < Rounds; ++round) {
      expansion.store(block, round, 0x63, shifts * round);
      V::make_key(keys.middle[round - 1], block);
    }
    __builtin_memset(block, 0, sizeof block);
    asm volatile("" : : "r"(block) : "memory");
  }
};

}  // namespace aesgate
