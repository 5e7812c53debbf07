#pragma once

#include "backends/instruction/xmm_blocks.h"
#include "backends/software/key_schedule.h"

// What the x86 backends with AES instructions (Intel SDM volume 2) have in common. They differ in how many blocks a
// register holds. All is a template over a type of the ISA file's own, so that each file has its own copy of the code,
// compiled for its own instruction set (backends/register.h).

namespace aesgate {

template <unsigned Rounds>
struct AesRoundKeys {
  __m128i round[Rounds + 1];
};

/// The ciphers of a Width that is derived from this and brings, for its Vector, broadcast(__m128i) and the four
/// instructions: round(), last_round(), inverse_round(), inverse_last_round().
template <typename Width>
struct AesRounds {
  template <unsigned Rounds>
  static auto first_key(const AesRoundKeys<Rounds>& keys) {
    return Width::broadcast(keys.round[0]);
  }
  template <unsigned Rounds>
  static auto last_key(const AesRoundKeys<Rounds>& keys) {
    return Width::broadcast(keys.round[Rounds]);
  }

  template <unsigned N, unsigned Rounds, typename Vector, typename Operand>
  [[gnu::always_inline]] static void encrypt(const AesRoundKeys<Rounds>& keys, Vector (&x)[N], Operand operand) {
    each<Rounds - 1>([&](unsigned round) __attribute__((always_inline)) {
      const Vector key = Width::broadcast(keys.round[round + 1]);
      each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = Width::round(x[i], key); });
    });
    each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = Width::last_round(x[i], operand(i)); });
  }

  template <unsigned N, unsigned Rounds, typename Vector, typename Operand>
  [[gnu::always_inline]] static void decrypt(const AesRoundKeys<Rounds>& keys, Vector (&x)[N], Operand operand) {
    each<Rounds - 1>([&](unsigned round) __attribute__((always_inline)) {
      const Vector key = Width::broadcast(keys.round[round + 1]);
      each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = Width::inverse_round(x[i], key); });
    });
    each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = Width::inverse_last_round(x[i], operand(i)); });
  }
};

/// One block in an xmm register.
template <typename File>
struct AesXmm : XmmBlocks<AesXmm<File>>, AesRounds<AesXmm<File>> {
  // Eight would fill two units of latency 4 (Zen 3 to 5) if none of them ever waited: 1.05 to 1.07 of the floor there,
  // and 1.01 with twelve. Sixteen leave no register for a round key: 1.01 with gcc 12, up to 1.06 with clang 14.
  static constexpr unsigned in_flight = 12;

  static __m128i round(__m128i x, __m128i key) { return _mm_aesenc_si128(x, key); }
  static __m128i last_round(__m128i x, __m128i key) { return _mm_aesenclast_si128(x, key); }
  static __m128i inverse_round(__m128i x, __m128i key) { return _mm_aesdec_si128(x, key); }
  static __m128i inverse_last_round(__m128i x, __m128i key) { return _mm_aesdeclast_si128(x, key); }
};

/// The round keys, for an Engine that is derived from this.
template <typename Engine>
struct AesKeySchedule {
  template <unsigned Rounds>
  using Keys = AesRoundKeys<Rounds>;

  template <unsigned Rounds>
  static void expand_encrypt(AesRoundKeys<Rounds>& keys, const std::uint8_t* key) {
    Expansion<Engine, Rounds> words;
    words.expand(key);
    __builtin_memcpy(keys.round, words.w, sizeof keys.round);
  }

  /// The equivalent inverse cipher, FIPS-197 section 5.3.5: last round key first, those in between through
  /// InvMixColumns.
  template <unsigned Rounds>
  static void expand_decrypt(AesRoundKeys<Rounds>& keys, const std::uint8_t* key) {
    expand_encrypt(keys, key);
    for (unsigned i = 0; i < Rounds - i; ++i) {
      const __m128i first = keys.round[i];
      keys.round[i] = keys.round[Rounds - i];
      keys.round[Rounds - i] = first;
    }
    for (unsigned i = 1; i < Rounds; ++i) keys.round[i] = _mm_aesimc_si128(keys.round[i]);
  }

  /// SubWord(), for Expansion. AESKEYGENASSIST has that of the second word in its first; its round constant would have
  /// to be an immediate.
  static std::uint32_t substitute(std::uint32_t word) {
    const __m128i words = _mm_set1_epi32(static_cast<int>(word));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(words, 0)));
  }
};

}  // namespace aesgate
