#pragma once

#include "backends/software/bitslice/byte_planes.h"
#include "backends/software/bitslice/engine.h"
#include "backends/software/xmm_block.h"

// An engine over BytePlanes of ymm or zmm registers, and of xmm registers for one block at a time.

namespace aesgate {

/// The blocks at x, V::blocks for each group, between the outer AddRoundKeys. Not inlined into the modes: they are
/// many, and this is long.
template <typename V, bool Inverse, unsigned Groups>
[[gnu::noinline]] void crypt_sliced(const typename V::RoundKey* keys, unsigned rounds, std::uint8_t* x) {
  using P = typename V::Plane;
  P q[Groups][8];
  each<Groups>([&](unsigned g) __attribute__((always_inline)) {
    each<8>([&](unsigned i) __attribute__((always_inline)) { q[g][i] = V::load(x + (8 * g + i) * sizeof(P)); });
    V::transpose(q[g]);
  });
  all_rounds<V, Inverse>(q, keys, rounds);
  each<Groups>([&](unsigned g) __attribute__((always_inline)) {
    V::transpose(q[g]);
    if (rounds % 4 != 0) each<8>([&](unsigned i) __attribute__((always_inline)) { q[g][i] = V::shift_twice(q[g][i]); });
    each<8>([&](unsigned i) __attribute__((always_inline)) { V::store(x + (8 * g + i) * sizeof(P), q[g][i]); });
  });
}

/// One block. Bit b of its bytes, moved to bit 0, is plane b; the seven other bits of a plane's bytes are nobody's.
template <typename V, bool Inverse>
[[gnu::noinline]] __m128i crypt_one_sliced(const typename V::RoundKey* keys, unsigned rounds, __m128i x) {
  __m128i q[1][8];
  each<8>([&](unsigned b) __attribute__((always_inline)) { q[0][b] = _mm_srli_epi16(x, static_cast<int>(b)); });
  all_rounds<V, Inverse>(q, keys, rounds);
  const __m128i lowest = _mm_set1_epi8(1);
  __m128i bits[8];
  each<8>([&](unsigned b) __attribute__((always_inline)) {
    bits[b] = _mm_slli_epi16(_mm_and_si128(q[0][b], lowest), static_cast<int>(b));
  });
  const __m128i low = V::xor3(V::xor3(bits[0], bits[1], bits[2]), bits[3], bits[4]);
  x = V::xor3(low, bits[5], _mm_xor_si128(bits[6], bits[7]));
  return rounds % 4 != 0 ? V::shift_twice(x) : x;
}

/// A Width's encrypt() and decrypt() with V.
template <typename V>
struct SlicedCrypt {
  template <unsigned N, unsigned Rounds, typename Vector, typename Operand>
  [[gnu::always_inline]] static void encrypt(const SlicedKeys<V, Rounds>& keys, Vector (&x)[N], Operand operand) {
    run<false>(keys, x, operand);
  }
  template <unsigned N, unsigned Rounds, typename Vector, typename Operand>
  [[gnu::always_inline]] static void decrypt(const SlicedKeys<V, Rounds>& keys, Vector (&x)[N], Operand operand) {
    run<true>(keys, x, operand);
  }

 private:
  template <bool Inverse, unsigned N, unsigned Rounds, typename Vector, typename Operand>
  [[gnu::always_inline]] static void run(const SlicedKeys<V, Rounds>& keys, Vector (&x)[N], Operand operand) {
    crypt_sliced<V, Inverse, sizeof x / 16 / V::blocks>(keys.middle, Rounds, reinterpret_cast<std::uint8_t*>(x));
    each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = x[i] ^ operand(i); });
  }
};

/// What is left over, as single blocks: one pass for all of them.
template <typename V>
struct SlicedTail : XmmBlock<SlicedTail<V>>, SlicedCrypt<V> {
  static constexpr unsigned in_flight = V::blocks;
  static constexpr unsigned smallest = V::blocks;
};

template <typename V, unsigned Groups>
struct SlicedWide : SlicedCrypt<V> {
  using Vector = typename V::Plane;
  using Narrower = SlicedTail<V>;
  static constexpr unsigned lanes = V::lanes;
  static constexpr unsigned in_flight = 8 * Groups;
  static constexpr unsigned smallest = 8;

  static Vector load(const std::uint8_t* p) { return V::load(p); }
  static Vector load_after(const std::uint8_t* before, const std::uint8_t* p) {
    alignas(Vector) std::uint8_t bytes[sizeof(Vector)];
    __builtin_memcpy(bytes, before, 16);
    __builtin_memcpy(bytes + 16, p, sizeof bytes - 16);
    return V::load(bytes);
  }
  static Vector load_windows(const std::uint8_t* p) {
    alignas(Vector) std::uint8_t bytes[sizeof(Vector)];
    each<lanes>([&](unsigned i) __attribute__((always_inline)) { __builtin_memcpy(bytes + 16 * i, p + i, 16); });
    return V::load(bytes);
  }
  static void store(std::uint8_t* p, Vector x) { V::store(p, x); }
  static Vector exclusive_or(Vector a, Vector b) { return a ^ b; }

  template <unsigned Rounds>
  static Vector first_key(const SlicedKeys<V, Rounds>& keys) {
    return V::broadcast(keys.first);
  }
  template <unsigned Rounds>
  static Vector last_key(const SlicedKeys<V, Rounds>& keys) {
    return V::broadcast(keys.last);
  }
};

/// One: BytePlanes of xmm. Their round keys are V's.
template <typename V, typename One>
struct SlicedBlock : XmmBlock<SlicedBlock<V, One>> {
  static constexpr unsigned in_flight = 1;
  static constexpr unsigned smallest = 1;

  template <unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void encrypt(const SlicedKeys<V, Rounds>& keys, __m128i (&x)[1], Operand operand) {
    x[0] = crypt_one_sliced<One, false>(keys.middle, Rounds, x[0]) ^ operand(0);
  }
  template <unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void decrypt(const SlicedKeys<V, Rounds>& keys, __m128i (&x)[1], Operand operand) {
    x[0] = crypt_one_sliced<One, true>(keys.middle, Rounds, x[0]) ^ operand(0);
  }
};

template <typename V, typename One, unsigned Groups>
struct SlicedEngine : SlicedSchedule<V> {
  template <unsigned Rounds>
  using Keys = SlicedKeys<V, Rounds>;
  using Single = SlicedBlock<V, One>;
  using Widest = SlicedWide<V, Groups>;
};

}  // namespace aesgate
