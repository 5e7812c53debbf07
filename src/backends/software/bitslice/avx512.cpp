// The bit-sliced cipher over 512 bits with AVX-512: 32 blocks a group, and two groups at a time, since the circuit
// alone does not fill four units whose latency is two. VPTERNLOG is a gate with three inputs.

#include "backends/adapter.h"

#if defined(__x86_64__) || defined(__i386__)

#include "backends/software/bitslice/circuit_ternary.h"
#include "backends/software/bitslice/vector_engine.h"

namespace aesgate {
namespace {

struct Zmm {
  using Plane = __m512i;
  template <typename V>
  using CircuitOf = TernaryCircuit<V>;

  template <int table>
  [[gnu::always_inline]] static __m512i gate(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, table);
  }

  [[gnu::always_inline]] static __m512i broadcast(const std::uint8_t* p) {
    return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static __m512i load(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
  [[gnu::always_inline]] static void store(std::uint8_t* p, __m512i x) { _mm512_storeu_si512(p, x); }
  [[gnu::always_inline]] static __m512i xor3(__m512i a, __m512i b, __m512i c) { return gate<0x96>(a, b, c); }
  [[gnu::always_inline]] static __m512i shuffle(__m512i x, __m512i places) { return _mm512_shuffle_epi8(x, places); }

  template <unsigned distance>
  [[gnu::always_inline]] static void exchange(__m512i& a, __m512i& b, __m512i low) {
    const __m512i from_a = _mm512_srli_epi64(a, distance);
    const __m512i from_b = _mm512_slli_epi64(b, distance);
    a = gate<0xca>(low, a, from_b);
    b = gate<0xca>(low, from_a, b);
  }
};

struct Xmm {
  using Plane = __m128i;
  template <typename V>
  using CircuitOf = TernaryCircuit<V>;

  template <int table>
  [[gnu::always_inline]] static __m128i gate(__m128i a, __m128i b, __m128i c) {
    return _mm_ternarylogic_epi64(a, b, c, table);
  }

  [[gnu::always_inline]] static __m128i broadcast(const std::uint8_t* p) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(p));
  }
  [[gnu::always_inline]] static __m128i xor3(__m128i a, __m128i b, __m128i c) { return gate<0x96>(a, b, c); }
  [[gnu::always_inline]] static __m128i shuffle(__m128i x, __m128i places) { return _mm_shuffle_epi8(x, places); }
};

struct Engine : SlicedEngine<BytePlanes<Zmm>, BytePlanes<Xmm>, 2> {
  static constexpr Feature needs[] = {Feature::avx512};
  static constexpr unsigned rank = 3;
};

constexpr aesgate_backend form = adapt<Engine>(
    "bitslice-avx512", "software", "none", "bit-sliced over 512 bits with AVX-512 ternary logic, 64 blocks at a time");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate

#endif
