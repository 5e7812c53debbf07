#pragma once

#include "backends/software/rows.h"
#include "modes/engine.h"

// The rounds of FIPS-197 on bit planes: plane b holds bit b of every byte of several blocks. What a plane looks like is
// the business of V:
//
//     using Plane = …;                      a vector with ^ and &.
//     using RoundKey = …;                   a round key's eight planes, for any number of blocks.
//     using Circuit = …;                    substitute() and inverse_substitute() of eight planes.
//     static Plane key(const RoundKey&, unsigned bit);
//     static Plane xor3(Plane, Plane, Plane);
//     template <unsigned rows, unsigned columns> static Plane move(Plane);
//                                           in row r and column c, what was in row r + rows and column c + columns,
//                                           both modulo 4.
//
// No plane is ever moved for ShiftRows: see rows.h.

namespace aesgate {

/// MixColumns, FIPS-197 section 5.1.3, after n ShiftRows, and AddRoundKey:
/// 02 (a0 + a1) + a1 + (a2 + a3), where a1 is the next row, and so on.
template <typename V, unsigned n>
[[gnu::always_inline]] inline void mix_columns(typename V::Plane (&q)[8], const typename V::RoundKey& key) {
  using P = typename V::Plane;
  P next[8];
  P sum[8];
  P rest[8];
  each<8>([&](unsigned b) __attribute__((always_inline)) {
    next[b] = V::template move<1, n % 4>(q[b]);
    sum[b] = q[b] ^ next[b];
    rest[b] = V::template move<2, 2 * n % 4>(sum[b]);
  });
  each<8>([&](unsigned b) __attribute__((always_inline)) {
    const P doubled = sum[(b + 7) % 8];
    const P added = V::xor3(next[b], rest[b], V::key(key, b));
    // x^8 is x^4 + x^3 + x + 1.
    q[b] = b == 1 || b == 3 || b == 4 ? V::xor3(doubled, sum[7], added) : doubled ^ added;
  });
}

/// InvMixColumns is MixColumns after a multiplication by {05 00 04 00}: a0 + 04 (a0 + a2).
template <typename V, unsigned n>
[[gnu::always_inline]] inline void times_05_00_04_00(typename V::Plane (&q)[8]) {
  using P = typename V::Plane;
  P sum[8];
  each<8>([&](unsigned b) __attribute__((always_inline)) { sum[b] = q[b] ^ V::template move<2, 2 * n % 4>(q[b]); });
  const P both = sum[6] ^ sum[7];
  q[0] = q[0] ^ sum[6];
  q[1] = q[1] ^ both;
  q[2] = V::xor3(q[2], sum[0], sum[7]);
  q[3] = V::xor3(q[3], sum[1], sum[6]);
  q[4] = V::xor3(q[4], sum[2], both);
  q[5] = V::xor3(q[5], sum[3], sum[7]);
  q[6] = q[6] ^ sum[4];
  q[7] = q[7] ^ sum[5];
}

/// One round but the last, after which n ShiftRows, or minus n InvShiftRows, are due. The equivalent inverse cipher's
/// in the other direction (FIPS-197 section 5.3.5).
template <typename V, bool Inverse, unsigned n>
[[gnu::always_inline]] inline void middle_round(typename V::Plane (&q)[8], const typename V::RoundKey& key) {
  if constexpr (Inverse) {
    V::Circuit::inverse_substitute(q);
    times_05_00_04_00<V, n>(q);
  } else {
    V::Circuit::substitute(q);
  }
  mix_columns<V, n>(q, key);
}

/// All that lies between the outer AddRoundKeys, for several groups of planes; keys: rounds - 1 of them. Leaves what
/// `rounds` ShiftRows or InvShiftRows would move.
template <typename V, bool Inverse, unsigned Groups>
[[gnu::always_inline]] inline void all_rounds(typename V::Plane (&q)[Groups][8], const typename V::RoundKey* keys,
                                              unsigned rounds) {
  const auto more = [&]<unsigned n>(std::integral_constant<unsigned, n>) __attribute__((always_inline)) {
    each<Groups>([&](unsigned g)
                     __attribute__((always_inline)) { middle_round<V, Inverse, Inverse ? 4 - n : n>(q[g], *keys); });
    ++keys;
    return --rounds > 1;
  };
  while (more(std::integral_constant<unsigned, 1>()) && more(std::integral_constant<unsigned, 2>()) &&
         more(std::integral_constant<unsigned, 3>()) && more(std::integral_constant<unsigned, 0>())) {
  }
  each<Groups>([&](unsigned g) __attribute__((always_inline)) {
    if constexpr (Inverse)
      V::Circuit::inverse_substitute(q[g]);
    else
      V::Circuit::substitute(q[g]);
  });
}

}  // namespace aesgate
