// The bit-sliced cipher over 256 bits with AVX2: 16 blocks a group.

#include "backends/adapter.h"

#if defined(__x86_64__) || defined(__i386__)

#include "backends/software/bitslice/vector_engine.h"

namespace aesgate {
namespace {

struct Ymm {
  using Plane = __m256i;
  template <typename V>
  using CircuitOf = Circuit<V>;

  [[gnu::always_inline]] static __m256i broadcast(const std::uint8_t* p) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static __m256i load(const std::uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  [[gnu::always_inline]] static void store(std::uint8_t* p, __m256i x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }
  [[gnu::always_inline]] static __m256i xor3(__m256i a, __m256i b, __m256i c) { return a ^ b ^ c; }
  [[gnu::always_inline]] static __m256i shuffle(__m256i x, __m256i places) { return _mm256_shuffle_epi8(x, places); }

  template <int distance>
  [[gnu::always_inline]] static void exchange(__m256i& a, __m256i& b, __m256i low) {
    const __m256i changed = (_mm256_srli_epi64(a, distance) ^ b) & low;
    b ^= changed;
    a ^= _mm256_slli_epi64(changed, distance);
  }
};

struct Xmm {
  using Plane = __m128i;
  template <typename V>
  using CircuitOf = Circuit<V>;

  [[gnu::always_inline]] static __m128i broadcast(const std::uint8_t* p) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(p));
  }
  [[gnu::always_inline]] static __m128i xor3(__m128i a, __m128i b, __m128i c) { return a ^ b ^ c; }
  [[gnu::always_inline]] static __m128i shuffle(__m128i x, __m128i places) { return _mm_shuffle_epi8(x, places); }
};

struct Engine : SlicedEngine<BytePlanes<Ymm>, BytePlanes<Xmm>, 1> {
  static constexpr Feature needs[] = {Feature::ssse3, Feature::avx, Feature::avx2};
  static constexpr unsigned rank = 2;
};

constexpr aesgate_backend form =
    adapt<Engine>("bitslice-avx2", "software", "none", "bit-sliced over 256 bits with AVX2, 16 blocks at a time");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate

#endif
