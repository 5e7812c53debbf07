// AES by VPERMI2B (AVX512_VBMI): it takes bytes from 128, which are in two registers, by an index that is in another;
// so four registers are the S-box, in a time that does not depend on the index. Four blocks in a register.

#include "backends/adapter.h"

#if defined(__x86_64__) || defined(__i386__)

#include "backends/software/vperm/field.h"
#include "backends/software/vperm/keys.h"
#include "backends/software/xmm_block.h"

namespace aesgate {
namespace {

/// The S-box or its inverse, without FIPS-197's constant 63 on the side that is affine.
struct Box {
  alignas(64) std::uint8_t entry[256];
};
constexpr Box make_box(bool inverse) {
  Box box{};
  for (unsigned a = 0; a < 256; ++a)
    box.entry[a] =
        static_cast<std::uint8_t>(inverse ? field::invert(field::inverse_affine(a)) : field::affine(field::invert(a)));
  return box;
}
constexpr Box forward = make_box(false);
constexpr Box inverse = make_box(true);
static_assert(forward.entry[0x53] == (0xed ^ 0x63) && inverse.entry[0xed ^ 0x63] == 0x53);

/// x times x^6 and x^7, reduced: what multiplying by 04 carries out of a byte, by its two highest bits.
struct Carries {
  alignas(16) std::uint8_t of[16];
};
constexpr Carries carries_of_4 = {{0, 0x1b, 0x36, 0x2d}};

[[gnu::always_inline]] inline __m512i broadcast(const std::uint8_t* p) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
}
[[gnu::always_inline]] inline __m512i xor3(__m512i a, __m512i b, __m512i c) {
  return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}
[[gnu::always_inline]] inline __m512i times_2(__m512i x) {
  const __m512i carries = _mm512_maskz_mov_epi8(_mm512_movepi8_mask(x), _mm512_set1_epi8(0x1b));
  return _mm512_xor_si512(_mm512_add_epi8(x, x), carries);
}

/// Substitution: a box in registers.
struct Substitution {
  __m512i quarter[4];

  [[gnu::always_inline]] explicit Substitution(const Box& box) {
    each<4>([&](unsigned i) __attribute__((always_inline)) { quarter[i] = _mm512_load_si512(box.entry + 64 * i); });
  }
  [[gnu::always_inline]] __m512i operator()(__m512i x) const {
    const __m512i below_128 = _mm512_permutex2var_epi8(quarter[0], x, quarter[1]);
    const __m512i from_128 = _mm512_permutex2var_epi8(quarter[2], x, quarter[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), below_128, from_128);
  }
};

/// MixColumns and AddRoundKey; next and after_next are the moves by one row and by two.
[[gnu::always_inline]] inline __m512i mix_columns(__m512i x, __m512i key, __m512i next, __m512i after_next) {
  const __m512i x_next = _mm512_shuffle_epi8(x, next);
  const __m512i sum = _mm512_xor_si512(x, x_next);
  return xor3(times_2(sum), _mm512_xor_si512(x_next, key), _mm512_shuffle_epi8(sum, after_next));
}

/// InvMixColumns is MixColumns after a multiplication by {05 00 04 00}: a0 + 04 (a0 + a2).
[[gnu::always_inline]] inline __m512i times_05_00_04_00(__m512i x, __m512i after_next) {
  const __m512i sum = _mm512_xor_si512(x, _mm512_shuffle_epi8(x, after_next));
  const __m512i twice = _mm512_add_epi8(sum, sum);
  const __m512i highest = _mm512_and_si512(_mm512_srli_epi16(sum, 6), _mm512_set1_epi8(3));
  return xor3(x, _mm512_add_epi8(twice, twice), _mm512_shuffle_epi8(broadcast(carries_of_4.of), highest));
}

/// What lies between the outer AddRoundKeys. Not inlined into the modes, which are many.
template <bool Inverse, unsigned N>
[[gnu::noinline]] void crypt(const std::uint8_t (*keys)[16], unsigned rounds, __m512i* blocks) {
  const Substitution substitute(Inverse ? inverse : forward);
  __m512i x[N];
  each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = blocks[i]; });
  for (unsigned round = 1; round < rounds; ++round, ++keys) {
    const unsigned shifts = (Inverse ? 3 * round : round) % 4;
    const __m512i key = broadcast(*keys);
    const __m512i next = broadcast(moves.places[1][shifts].from);
    const __m512i after_next = broadcast(moves.places[2][2 * shifts % 4].from);
    each<N>([&](unsigned i) __attribute__((always_inline)) {
      x[i] = substitute(x[i]);
      if constexpr (Inverse) x[i] = times_05_00_04_00(x[i], after_next);
      x[i] = mix_columns(x[i], key, next, after_next);
    });
  }
  const __m512i places = broadcast(rounds % 4 != 0 ? shift_rows_twice.from : moves.places[0][0].from);
  each<N>([&](unsigned i)
              __attribute__((always_inline)) { blocks[i] = _mm512_shuffle_epi8(substitute(x[i]), places); });
}

struct Engine;

/// One block in the lowest lane: VPERMI2B needs the whole registers as a table.
struct Xmm : XmmBlock<Xmm> {
  static constexpr unsigned in_flight = 2;
  static constexpr unsigned smallest = 1;

  template <unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void encrypt(const VpermKeys<Engine, Rounds>& keys, __m128i (&x)[N], Operand operand) {
    run<false>(keys, x, operand);
  }
  template <unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void decrypt(const VpermKeys<Engine, Rounds>& keys, __m128i (&x)[N], Operand operand) {
    run<true>(keys, x, operand);
  }

 private:
  template <bool Inverse, unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void run(const VpermKeys<Engine, Rounds>& keys, __m128i (&x)[N], Operand operand) {
    __m512i lowest[N];
    each<N>([&](unsigned i) __attribute__((always_inline)) { lowest[i] = _mm512_castsi128_si512(x[i]); });
    crypt<Inverse, N>(keys.middle, Rounds, lowest);
    each<N>([&](unsigned i) __attribute__((always_inline)) {
      x[i] = _mm_xor_si128(_mm512_castsi512_si128(lowest[i]), operand(i));
    });
  }
};

struct Zmm {
  using Vector = __m512i;
  using Narrower = Xmm;
  static constexpr unsigned lanes = 4;
  static constexpr unsigned in_flight = 8;
  static constexpr unsigned smallest = 1;

  static __m512i load(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
  static __m512i load_after(const std::uint8_t* before, const std::uint8_t* p) {
    return of_blocks(before, p, p + 16, p + 32);
  }
  static __m512i load_windows(const std::uint8_t* p) { return of_blocks(p, p + 1, p + 2, p + 3); }
  static void store(std::uint8_t* p, __m512i x) { _mm512_storeu_si512(p, x); }
  static __m512i exclusive_or(__m512i a, __m512i b) { return _mm512_xor_si512(a, b); }

  template <typename Keys>
  static __m512i first_key(const Keys& keys) {
    return broadcast(keys.first);
  }
  template <typename Keys>
  static __m512i last_key(const Keys& keys) {
    return broadcast(keys.last);
  }

  template <unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void encrypt(const VpermKeys<Engine, Rounds>& keys, __m512i (&x)[N], Operand operand) {
    run<false>(keys, x, operand);
  }
  template <unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void decrypt(const VpermKeys<Engine, Rounds>& keys, __m512i (&x)[N], Operand operand) {
    run<true>(keys, x, operand);
  }

 private:
  static __m512i of_blocks(const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* c, const std::uint8_t* d) {
    __m512i x = _mm512_castsi128_si512(Xmm::load(a));
    x = _mm512_inserti32x4(x, Xmm::load(b), 1);
    x = _mm512_inserti32x4(x, Xmm::load(c), 2);
    return _mm512_inserti32x4(x, Xmm::load(d), 3);
  }

  template <bool Inverse, unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void run(const VpermKeys<Engine, Rounds>& keys, __m512i (&x)[N], Operand operand) {
    crypt<Inverse, N>(keys.middle, Rounds, x);
    each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = _mm512_xor_si512(x[i], operand(i)); });
  }
};

struct Engine : VpermSchedule<Engine> {
  static constexpr Feature needs[] = {Feature::avx512};
  static constexpr unsigned rank = 2;
  using Single = Xmm;
  using Widest = Zmm;

  static std::uint32_t substitute(std::uint32_t word) {
    const __m512i x = _mm512_castsi128_si512(_mm_cvtsi32_si128(static_cast<int>(word)));
    const __m128i substituted = _mm512_castsi512_si128(Substitution(forward)(x));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(substituted)) ^ 0x63636363;
  }

  /// Between two rounds the state is the plain one.
  template <bool Inverse>
  static void to_state(std::uint8_t*) {}
};

constexpr aesgate_backend form =
    adapt<Engine>("vperm-avx512", "software", "none", "byte tables in registers by VPERMI2B, 32 blocks in flight");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate

#endif
