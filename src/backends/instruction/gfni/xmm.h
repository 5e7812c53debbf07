#pragma once

#include "backends/instruction/gfni/rounds.h"
#include "backends/instruction/xmm_blocks.h"

namespace aesgate::gfni {

/// One block in an xmm register.
template <typename File>
struct Xmm : XmmBlocks<Xmm<File>>, Cipher<Xmm<File>> {
  static constexpr unsigned in_flight = 4;

  template <int constant>
  static __m128i inverse(__m128i x, Map map) {
    return _mm_gf2p8affineinv_epi64_epi8(x, _mm_set1_epi64x(static_cast<long long>(map)), constant);
  }
  template <int constant>
  static __m128i linear(__m128i x, Map map) {
    return _mm_gf2p8affine_epi64_epi8(x, _mm_set1_epi64x(static_cast<long long>(map)), constant);
  }
  static __m128i shuffle(__m128i x, __m128i places) { return _mm_shuffle_epi8(x, places); }

  static __m128i sum(__m128i a, __m128i b, __m128i c) {
#ifdef __AVX512VL__
    return _mm_ternarylogic_epi32(a, b, c, 0x96);
#else
    return _mm_xor_si128(_mm_xor_si128(a, b), c);
#endif
  }
};

}  // namespace aesgate::gfni
