// M. Hamburg, "Accelerating AES with vector permute instructions" (CHES 2009): PSHUFB looks sixteen nibbles up in a
// table of sixteen bytes, in a time that does not depend on them. The inverse of k + i * theta (field.h) takes five
// such lookups: with j = i + k,
//
//     io = 1 / (1/i + a/k) + j        jo = 1 / (1/j + a/k) + i
//
// 1/io is (k + a i) / N and 1/jo is (k + a j) / N, where N = k^2 + a i k + a i^2 is the norm; and the inverse, which
// is ((k + a i) + i theta) / N, is a linear function of the two. So one table from io and one from jo make what
// SubBytes makes of it, and what MixColumns multiplies that with. Infinity is a nibble with bit 7 set, for which PSHUFB
// gives 0.
//
// The state between two rounds is in the form of pairs. SSE encodings only, so that a CPU without AVX can run it.

#include "backends/adapter.h"

#if defined(__x86_64__) || defined(__i386__)

#include "backends/software/vperm/field.h"
#include "backends/software/vperm/keys.h"
#include "backends/software/xmm_block.h"

namespace aesgate {
namespace {

struct Table {
  alignas(16) std::uint8_t entry[16];
};

template <typename Function>
constexpr Table make_table16(Function f) {
  Table table{};
  for (unsigned n = 0; n < 16; ++n) table.entry[n] = static_cast<std::uint8_t>(f(n));
  return table;
}

constexpr Table inverse = make_table16([](unsigned n) { return n == 0 ? 0x80 : field::invert4(n); });
constexpr Table a_over =
    make_table16([](unsigned n) { return n == 0 ? 0x80 : field::multiply4(field::tower.a, field::invert4(n)); });

/// Two tables whose entries add up to a linear function of a byte, or of a pair.
struct Pair {
  Table low;   // from k, or io
  Table high;  // from i, or jo
};

/// The form of the state: pairs that are about to be inverted. Before an InvSubBytes, the inverse affine transformation
/// is done already; all is linear.
template <bool Inverse>
constexpr unsigned state_of(unsigned byte) {
  return field::tower.from_byte[Inverse ? field::inverse_affine(byte) : byte];
}

template <bool Inverse>
constexpr Pair to_state{make_table16([](unsigned n) { return state_of<Inverse>(n); }),
                        make_table16([](unsigned n) { return state_of<Inverse>(n << 4); })};

/// The inverse from io and jo, as a byte; after a SubBytes with the affine transformation.
template <bool Inverse>
constexpr unsigned output_of(unsigned k, unsigned i) {
  const unsigned byte = field::tower.to_byte[i << 4 | k];
  return Inverse ? byte : field::affine(byte);
}
template <bool Inverse>
constexpr unsigned from_io(unsigned io) {
  const unsigned u = field::invert4(io);
  const unsigned over_a = field::multiply4(field::invert4(field::tower.a), u);
  return output_of<Inverse>(u, field::multiply4(field::invert4(field::tower.a), u ^ over_a));
}
template <bool Inverse>
constexpr unsigned from_jo(unsigned jo) {
  const unsigned over_a = field::invert4(field::tower.a);
  return output_of<Inverse>(0, field::multiply4(field::multiply4(over_a, over_a), field::invert4(jo)));
}

/// `factor` times the S-box, in the form of the state; and the S-box of the last round, as bytes.
template <bool Inverse, unsigned factor>
constexpr Pair times{
    make_table16([](unsigned n) { return state_of<Inverse>(field::multiply(factor, from_io<Inverse>(n))); }),
    make_table16([](unsigned n) { return state_of<Inverse>(field::multiply(factor, from_jo<Inverse>(n))); })};
template <bool Inverse>
constexpr Pair last_box{make_table16([](unsigned n) { return from_io<Inverse>(n); }),
                        make_table16([](unsigned n) { return from_jo<Inverse>(n); })};

[[gnu::always_inline]] inline __m128i load16(const std::uint8_t* p) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(p));
}
[[gnu::always_inline]] inline __m128i look_up(const Table& table, __m128i nibbles) {
  return _mm_shuffle_epi8(load16(table.entry), nibbles);
}
[[gnu::always_inline]] inline __m128i look_up(const Pair& pair, __m128i low, __m128i high) {
  return _mm_xor_si128(look_up(pair.low, low), look_up(pair.high, high));
}
[[gnu::always_inline]] inline __m128i low_nibbles(__m128i x) { return _mm_and_si128(x, _mm_set1_epi8(0x0f)); }
[[gnu::always_inline]] inline __m128i high_nibbles(__m128i x) { return low_nibbles(_mm_srli_epi16(x, 4)); }

/// io and jo of the pairs in x.
struct Inverted {
  __m128i io;
  __m128i jo;
};
[[gnu::always_inline]] inline Inverted invert(__m128i x) {
  const __m128i k = low_nibbles(x);
  const __m128i i = high_nibbles(x);
  const __m128i j = _mm_xor_si128(i, k);
  const __m128i ak = look_up(a_over, k);
  const __m128i iak = _mm_xor_si128(look_up(inverse, i), ak);
  const __m128i jak = _mm_xor_si128(look_up(inverse, j), ak);
  return {_mm_xor_si128(look_up(inverse, iak), j), _mm_xor_si128(look_up(inverse, jak), i)};
}

template <bool Inverse>
[[gnu::always_inline]] inline __m128i enter(__m128i bytes) {
  return look_up(to_state<Inverse>, low_nibbles(bytes), high_nibbles(bytes));
}

template <bool Inverse, unsigned factor>
[[gnu::always_inline]] inline __m128i box_times(const Inverted& x) {
  return look_up(times<Inverse, factor>, x.io, x.jo);
}

/// SubBytes, ShiftRows, MixColumns and AddRoundKey; next and after_next are the moves by one row and by two.
[[gnu::always_inline]] inline __m128i middle_round(__m128i x, __m128i key, __m128i next, __m128i after_next) {
  const Inverted inverted = invert(x);
  const __m128i once = box_times<false, 1>(inverted);
  const __m128i twice = box_times<false, 2>(inverted);
  const __m128i once_next = _mm_shuffle_epi8(once, next);
  const __m128i sum = _mm_xor_si128(once, once_next);
  const __m128i rest = _mm_xor_si128(_mm_xor_si128(twice, key), once_next);
  return _mm_xor_si128(_mm_xor_si128(rest, _mm_shuffle_epi8(twice, next)), _mm_shuffle_epi8(sum, after_next));
}

/// InvSubBytes, InvShiftRows, InvMixColumns and AddRoundKey.
[[gnu::always_inline]] inline __m128i inverse_middle_round(__m128i x, __m128i key, __m128i next, __m128i after_next) {
  const Inverted inverted = invert(x);
  const __m128i by_e_b = _mm_xor_si128(_mm_xor_si128(box_times<true, 0xe>(inverted), key),
                                       _mm_shuffle_epi8(box_times<true, 0xb>(inverted), next));
  const __m128i by_d_9 =
      _mm_xor_si128(box_times<true, 0xd>(inverted), _mm_shuffle_epi8(box_times<true, 0x9>(inverted), next));
  return _mm_xor_si128(by_e_b, _mm_shuffle_epi8(by_d_9, after_next));
}

/// What lies between the outer AddRoundKeys. Not inlined into the modes, which are many.
template <bool Inverse, unsigned N>
[[gnu::noinline]] void crypt(const std::uint8_t (*keys)[16], unsigned rounds, __m128i* blocks) {
  __m128i x[N];
  each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = enter<Inverse>(blocks[i]); });
  for (unsigned round = 1; round < rounds; ++round, ++keys) {
    const unsigned shifts = (Inverse ? 3 * round : round) % 4;
    const __m128i key = load16(*keys);
    const __m128i next = load16(moves.places[1][shifts].from);
    const __m128i after_next = load16(moves.places[2][2 * shifts % 4].from);
    each<N>([&](unsigned i) __attribute__((always_inline)) {
      x[i] = Inverse ? inverse_middle_round(x[i], key, next, after_next) : middle_round(x[i], key, next, after_next);
    });
  }
  const __m128i places = load16(rounds % 4 != 0 ? shift_rows_twice.from : moves.places[0][0].from);
  each<N>([&](unsigned i) __attribute__((always_inline)) {
    const Inverted inverted = invert(x[i]);
    blocks[i] = _mm_shuffle_epi8(look_up(last_box<Inverse>, inverted.io, inverted.jo), places);
  });
}

struct Engine;

struct Xmm : XmmBlock<Xmm> {
  static constexpr unsigned in_flight = 4;
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
    crypt<Inverse, N>(keys.middle, Rounds, x);
    each<N>([&](unsigned i) __attribute__((always_inline)) { x[i] = _mm_xor_si128(x[i], operand(i)); });
  }
};

struct Engine : VpermSchedule<Engine> {
  static constexpr Feature needs[] = {Feature::ssse3};
  static constexpr unsigned rank = 1;
  using Single = Xmm;
  using Widest = Xmm;

  static std::uint32_t substitute(std::uint32_t word) {
    const Inverted inverted = invert(enter<false>(_mm_cvtsi32_si128(static_cast<int>(word))));
    const __m128i substituted = look_up(last_box<false>, inverted.io, inverted.jo);
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(substituted)) ^ 0x63636363;
  }

  template <bool Inverse>
  static void to_state(std::uint8_t* block) {
    Xmm::store(block, enter<Inverse>(Xmm::load(block)));
  }
};

constexpr aesgate_backend form =
    adapt<Engine>("vperm-ssse3", "software", "none", "nibble tables by PSHUFB, four blocks in flight");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate

#endif
