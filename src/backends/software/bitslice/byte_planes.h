#pragma once

#include "backends/software/bitslice/rounds.h"

// Bit planes in which each byte of a block has a byte, whose eight bits belong to eight blocks. A vector of 16 * n
// bytes so holds a bit of 8 * n blocks, and slicing is a transposition of 8 by 8 bits between eight vectors of n blocks
// each.

namespace aesgate {

/// PlaneKey: a round key's planes, for vectors of any width: bytes of 0 and 255.
struct PlaneKey {
  alignas(16) std::uint8_t plane[8][16];
};

/// BytePlanes: the V of rounds.h, from the few instructions that differ by width. Vectors has:
///
///     using Plane = …;
///     template <typename V> using CircuitOf = …;                the circuit that suits it
///     static Plane broadcast(const uint8_t* p);                 the 16 bytes at p, in every 16 bytes
///     static Plane load(const uint8_t* p); static void store(uint8_t* p, Plane);
///     static Plane xor3(Plane, Plane, Plane);
///     static Plane shuffle(Plane x, Plane places);              PSHUFB, in every 16 bytes
///     template <unsigned distance> static void exchange(Plane& a, Plane& b, Plane low);
///                                                               the bits of a that `low` has not, and those of b that
///                                                               it has
template <typename Vectors>
struct BytePlanes : Vectors {
  using RoundKey = PlaneKey;
  using Plane = typename Vectors::Plane;
  using Circuit = typename Vectors::template CircuitOf<BytePlanes>;

  static constexpr unsigned lanes = sizeof(Plane) / 16;
  static constexpr unsigned blocks = 8 * lanes;

  [[gnu::always_inline]] static Plane key(const RoundKey& key, unsigned bit) {
    return Vectors::broadcast(key.plane[bit]);
  }

  template <unsigned rows, unsigned columns>
  [[gnu::always_inline]] static Plane move(Plane x) {
    if constexpr (rows == 0 && columns == 0)
      return x;
    else
      return Vectors::shuffle(x, Vectors::broadcast(moves.places[rows][columns].from));
  }

  /// A byte of a key block becomes eight bytes, in words of eight.
  static void make_key(RoundKey& key, const std::uint8_t* block) {
    for (unsigned half = 0; half < 16; half += 8) {
      std::uint64_t word;
      __builtin_memcpy(&word, block + half, 8);
      for (unsigned b = 0; b < 8; ++b) {
        const std::uint64_t plane = (word >> b & 0x0101010101010101u) * 255;
        __builtin_memcpy(key.plane[b] + half, &plane, 8);
      }
    }
  }

  /// Bit i of a byte of vector b becomes bit b of that byte of vector i.
  [[gnu::always_inline]] static void transpose(Plane (&q)[8]) {
    const Plane low1 = Vectors::broadcast(pattern<0x55>.byte);
    const Plane low2 = Vectors::broadcast(pattern<0x33>.byte);
    const Plane low4 = Vectors::broadcast(pattern<0x0f>.byte);
    each<4>([&](unsigned i)
                __attribute__((always_inline)) { Vectors::template exchange<1>(q[2 * i], q[2 * i + 1], low1); });
    each<4>([&](unsigned i) __attribute__((always_inline)) {
      Vectors::template exchange<2>(q[i / 2 * 4 + i % 2], q[i / 2 * 4 + i % 2 + 2], low2);
    });
    each<4>([&](unsigned i) __attribute__((always_inline)) { Vectors::template exchange<4>(q[i], q[i + 4], low4); });
  }

  /// What two ShiftRows are, which are their own inverse.
  [[gnu::always_inline]] static Plane shift_twice(Plane x) {
    return Vectors::shuffle(x, Vectors::broadcast(shift_rows_twice.from));
  }

 private:
  struct Pattern {
    alignas(16) std::uint8_t byte[16];
  };
  template <unsigned value>
  static constexpr Pattern pattern = [] {
    Pattern p{};
    for (std::uint8_t& b : p.byte) b = value;
    return p;
  }();
};

}  // namespace aesgate
