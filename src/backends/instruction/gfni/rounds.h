#pragma once

#include <immintrin.h>

#include "backends/instruction/gfni/maps.h"
#include "backends/software/key_schedule.h"
#include "modes/engine.h"

// AES by GFNI, over vectors of any width. All is a template over a type of the ISA file's own (backends/register.h).
//
// Decryption keeps y = undo(x + 63) for the state x: InvSubBytes is then 1 / y, and every map that is left comes with
// that inverse or with a product that is needed anyway. Constants that are the same in a whole column pass MixColumns
// and its inverse unchanged, since the factors add up to 01.

namespace aesgate::gfni {

template <unsigned Rounds>
struct RoundKeys {
  __m128i round[Rounds + 1];         // for decryption, those in between as what is added to y
  std::uint32_t row[Rounds - 1][4];  // those in between, by rows, as MixColumns of a slice takes them
};

/// The ciphers of a Width that is derived from this and brings its registers' instructions.
template <typename Width>
struct Cipher {
  template <unsigned Rounds>
  static auto first_key(const RoundKeys<Rounds>& keys) {
    return Width::broadcast(keys.round[0]);
  }
  template <unsigned Rounds>
  static auto last_key(const RoundKeys<Rounds>& keys) {
    return Width::broadcast(keys.round[Rounds]);
  }

  template <unsigned N, unsigned Rounds, typename Vector, typename Operand>
  [[gnu::always_inline]] static void encrypt(const RoundKeys<Rounds>& keys, Vector (&x)[N], Operand operand) {
    if constexpr (Width::lanes > 1 && N % 4 == 0) {
      in_slices(
          keys, x, [](Vector(&row)[4], const std::uint32_t* key) __attribute__((always_inline)) { round(row, key); },
          [](Vector(&row)[4]) __attribute__((always_inline)) {
            substitute<affine_constant, affine_multiply<1>>(row);
            turn_rows<1>(row);
          });
    } else {
      in_blocks(
          keys, x, [](Vector v, Vector key) __attribute__((always_inline)) {
            const Vector once = Width::template inverse<0>(v, affine_multiply<1>);
            const Vector twice = Width::template inverse<affine_constant>(v, affine_multiply<2>);
            const Vector thrice = Width::template inverse<0>(v, affine_multiply<3>);
            return mix<1>(key, twice, thrice, once, once);
          });
      each<N>([&](unsigned i) __attribute__((always_inline)) {
        x[i] = part<1, 0>(Width::template inverse<affine_constant>(x[i], affine_multiply<1>));
      });
    }
    each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = Width::exclusive_or(x[i], operand(i)); });
  }

  template <unsigned N, unsigned Rounds, typename Vector, typename Operand>
  [[gnu::always_inline]] static void decrypt(const RoundKeys<Rounds>& keys, Vector (&x)[N], Operand operand) {
    each<N>([&](unsigned i)
                __attribute__((always_inline)) { x[i] = Width::template linear<undo_constant>(x[i], only_undo); });
    if constexpr (Width::lanes > 1 && N % 4 == 0) {
      in_slices(
          keys, x,
          [](Vector(&row)[4], const std::uint32_t* key) __attribute__((always_inline)) { inverse_round(row, key); },
          [](Vector(&row)[4]) __attribute__((always_inline)) {
            substitute<0, identity>(row);
            turn_rows<3>(row);
          });
    } else {
      in_blocks(
          keys, x, [](Vector v, Vector key) __attribute__((always_inline)) {
            return mix<3>(key, Width::template inverse<undo_constant>(v, multiply_undo<14>),
                          Width::template inverse<0>(v, multiply_undo<11>),
                          Width::template inverse<0>(v, multiply_undo<13>),
                          Width::template inverse<0>(v, multiply_undo<9>));
          });
      each<N>([&](unsigned i)
                  __attribute__((always_inline)) { x[i] = part<3, 0>(Width::template inverse<0>(x[i], identity)); });
    }
    each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = Width::exclusive_or(x[i], operand(i)); });
  }

  /// The bytes that MixColumns, or its inverse, multiplies by its factor number `down` (maps.h).
  template <unsigned rows, unsigned down, typename Vector>
  [[gnu::always_inline]] static Vector part(Vector v) {
    return Width::shuffle(v, places(column_parts.places[rows][down]));
  }

 private:
  static auto places(const Places& p) {
    return Width::broadcast(_mm_load_si128(reinterpret_cast<const __m128i*>(p.from)));
  }

  // Block by block: the four products of a column's bytes come straight from the inverse, so that a round is one map,
  // one shuffle and two additions long.

  template <unsigned N, unsigned Rounds, typename Vector, typename Round>
  [[gnu::always_inline]] static void in_blocks(const RoundKeys<Rounds>& keys, Vector (&x)[N], Round round) {
    for (unsigned r = 1; r < Rounds; ++r) {
      const Vector key = Width::broadcast(keys.round[r]);
      each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = round(x[i], key); });
    }
  }

  /// MixColumns, or its inverse, after so many ShiftRows: p0 to p3 are the state times its factors.
  template <unsigned rows, typename Vector>
  [[gnu::always_inline]] static Vector mix(Vector key, Vector p0, Vector p1, Vector p2, Vector p3) {
    const Vector half = Width::sum(key, part<rows, 0>(p0), part<rows, 1>(p1));
    return Width::sum(half, part<rows, 2>(p2), part<rows, 3>(p3));
  }

  // Slices: four vectors, each with one row of 4 * lanes blocks, a dword for a row of a block. ShiftRows is a rotation
  // of dwords, and MixColumns adds vectors. The round key is added to its first sums, whence it arrives doubled and
  // from two rows further down: KeySchedule makes up for that.

  template <unsigned N, unsigned Rounds, typename Vector, typename Round, typename Last>
  [[gnu::always_inline]] static void in_slices(const RoundKeys<Rounds>& keys, Vector (&x)[N], Round round, Last last) {
    Vector slice[N / 4][4];
    each<N>([&](unsigned i)
                __attribute__((always_inline)) { slice[i / 4][i % 4] = Width::shuffle(x[i], places(transposed)); });
    each<N / 4>([&](unsigned s) __attribute__((always_inline)) { transpose(slice[s]); });
    for (unsigned r = 0; r < Rounds - 1; ++r)
      each<N / 4>([&](unsigned s) __attribute__((always_inline)) { round(slice[s], keys.row[r]); });
    each<N / 4>([&](unsigned s) __attribute__((always_inline)) {
      last(slice[s]);
      transpose(slice[s]);
    });
    each<N>([&](unsigned i)
                __attribute__((always_inline)) { x[i] = Width::shuffle(slice[i / 4][i % 4], places(transposed)); });
  }

  /// Dword j of vector i, in each block's place, for dword i of vector j.
  template <typename Vector>
  [[gnu::always_inline]] static void transpose(Vector (&v)[4]) {
    const Vector low_0 = Width::low_dwords(v[0], v[1]);
    const Vector low_1 = Width::low_dwords(v[2], v[3]);
    const Vector high_0 = Width::high_dwords(v[0], v[1]);
    const Vector high_1 = Width::high_dwords(v[2], v[3]);
    v[0] = Width::low_qwords(low_0, low_1);
    v[1] = Width::high_qwords(low_0, low_1);
    v[2] = Width::low_qwords(high_0, high_1);
    v[3] = Width::high_qwords(high_0, high_1);
  }

  template <int constant, Map map, typename Vector>
  [[gnu::always_inline]] static void substitute(Vector (&row)[4]) {
    each<4>([&](unsigned i)
                __attribute__((always_inline)) { row[i] = Width::template inverse<constant>(row[i], map); });
  }

  /// So many ShiftRows.
  template <unsigned count, typename Vector>
  [[gnu::always_inline]] static void turn_rows(Vector (&row)[4]) {
    row[1] = Width::template turn_right<8 * count % 32>(row[1]);
    row[2] = Width::template turn_right<16 * count % 32>(row[2]);
    row[3] = Width::template turn_right<24 * count % 32>(row[3]);
  }

  /// MixColumns and AddRoundKey, where `twice` multiplies by 02. With the sums s_i = a_i + a_(i+1) of two rows, row i
  /// is 02 s_i + a_(i+1) + s_(i+2).
  template <typename Vector, typename Twice>
  [[gnu::always_inline]] static void mix_rows(Vector (&row)[4], const std::uint32_t* key, Twice twice) {
    Vector sum[4];
    each<4>([&](unsigned i) __attribute__((always_inline)) {
      sum[i] = Width::sum(row[i], row[(i + 1) % 4], Width::broadcast_dword(key[i]));
    });
    const Vector first = row[0];
    each<4>([&](unsigned i) __attribute__((always_inline)) {
      const Vector below = i < 3 ? row[(i + 1) % 4] : first;
      row[i] = Width::sum(twice(sum[i]), below, sum[(i + 2) % 4]);
    });
  }

  template <typename Vector>
  [[gnu::always_inline]] static void round(Vector (&row)[4], const std::uint32_t* key) {
    substitute<affine_constant, affine_multiply<1>>(row);
    turn_rows<1>(row);
    mix_rows(
        row, key, [](Vector v) __attribute__((always_inline)) { return Width::template linear<0>(v, multiply<2>); });
  }

  /// The factors of InvMixColumns are those of MixColumns times 05 00 04 00 (FIPS-197 section 5.3.3).
  template <typename Vector>
  [[gnu::always_inline]] static void inverse_round(Vector (&row)[4], const std::uint32_t* key) {
    substitute<0, only_undo>(row);
    turn_rows<3>(row);
    const Vector even = Width::template linear<0>(Width::exclusive_or(row[0], row[2]), affine_multiply_undo<4>);
    const Vector odd = Width::template linear<0>(Width::exclusive_or(row[1], row[3]), affine_multiply_undo<4>);
    each<4>([&](unsigned i)
                __attribute__((always_inline)) { row[i] = Width::exclusive_or(row[i], i % 2 == 0 ? even : odd); });
    mix_rows(
        row, key, [](Vector v) __attribute__((always_inline)) {
          return Width::template linear<undo_constant>(v, affine_multiply_undo<2>);
        });
  }
};

/// The round keys, for an Engine that is derived from this and whose Single is a Width of one block.
template <typename Engine>
struct KeySchedule {
  template <unsigned Rounds>
  using Keys = RoundKeys<Rounds>;

  template <unsigned Rounds>
  static void expand_encrypt(RoundKeys<Rounds>& keys, const std::uint8_t* key) {
    Expansion<Engine, Rounds> words;
    words.expand(key);
    __builtin_memcpy(keys.round, words.w, sizeof keys.round);
    // What a slice adds arrives as 02 k_i + k_(i+2), whose inverse is (02 k_i + k_(i+2)) / 05.
    for (unsigned i = 1; i < Rounds; ++i) slice<multiply<times(2, inverse(5))>, multiply<inverse(5)>>(keys, i);
  }

  /// What is added to y and not to x goes through `undo`.
  template <unsigned Rounds>
  static void expand_decrypt(RoundKeys<Rounds>& keys, const std::uint8_t* key) {
    Expansion<Engine, Rounds> words;
    words.expand_inverse(key);
    __builtin_memcpy(keys.round, words.w, sizeof keys.round);
    for (unsigned i = 1; i < Rounds; ++i) {
      keys.round[i] = map<only_undo>(keys.round[i]);
      slice<affine_multiply_undo<times(2, inverse(5))>, affine_multiply_undo<inverse(5)>>(keys, i);
    }
  }

  /// SubWord(), for Expansion.
  static std::uint32_t substitute(std::uint32_t word) {
    const __m128i x = _mm_cvtsi32_si128(static_cast<int>(word));
    return static_cast<std::uint32_t>(
        _mm_cvtsi128_si32(Engine::Single::template inverse<affine_constant>(x, affine_multiply<1>)));
  }

 private:
  template <Map m>
  static __m128i map(__m128i k) {
    return Engine::Single::template linear<0>(k, m);
  }

  /// Round key i by rows: m0(k_i) + m1(k_(i+2)).
  template <Map m0, Map m1, unsigned Rounds>
  static void slice(RoundKeys<Rounds>& keys, unsigned i) {
    using Single = typename Engine::Single;
    const __m128i k = keys.round[i];
    const __m128i sum = Single::exclusive_or(map<m0>(k), Single::template part<0, 2>(map<m1>(k)));
    const __m128i rows = _mm_load_si128(reinterpret_cast<const __m128i*>(transposed.from));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(keys.row[i - 1]), Single::shuffle(sum, rows));
  }
};

}  // namespace aesgate::gfni
