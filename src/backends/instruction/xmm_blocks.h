#pragma once

#include <immintrin.h>

#include "modes/engine.h"

namespace aesgate {

/// XmmBlocks: what a Width (modes/engine.h) of one block in an xmm register has, whatever unit works on it. Own is that
/// Width, or any other type of the ISA file. SSE4.1, encoded as the file's flags say: VEX beside wider registers.
template <typename Own>
struct XmmBlocks {
  using Vector = __m128i;
  using Narrower = void;
  static constexpr unsigned lanes = 1;
  static constexpr unsigned smallest = 1;

  static __m128i broadcast(__m128i block) { return block; }
  static __m128i load(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static __m128i load_after(const std::uint8_t* before, const std::uint8_t*) { return load(before); }
  static __m128i load_windows(const std::uint8_t* p) { return load(p); }
  static void store(std::uint8_t* p, __m128i x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x); }
  static __m128i exclusive_or(__m128i a, __m128i b) { return _mm_xor_si128(a, b); }

  static __m128i from_byte(std::uint8_t b) { return _mm_cvtsi32_si128(b); }
  static std::uint8_t to_byte(__m128i x) { return static_cast<std::uint8_t>(_mm_cvtsi128_si32(x)); }
  static __m128i append_byte(__m128i r, __m128i t) { return _mm_alignr_epi8(t, r, 1); }

  static __m128i append_bit(__m128i r, __m128i t) {
    // All but a choice between the two outcomes is worked out before t is there.
    const __m128i carry = _mm_and_si128(_mm_srli_epi16(_mm_srli_si128(r, 1), 7), _mm_set1_epi8(1));
    const __m128i with_0 = _mm_or_si128(_mm_add_epi8(r, r), carry);
    const __m128i with_1 = _mm_or_si128(with_0, _mm_set_epi8(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    return _mm_blendv_epi8(with_0, with_1, _mm_slli_si128(t, 15));
  }
};

}  // namespace aesgate
