#pragma once

#include <immintrin.h>

#include "modes/engine.h"

namespace aesgate {

/// XmmBlock: the base of a Width (modes/engine.h) with one block in an xmm register; Own is the Width. SSSE3. Keys hold
/// the outer round keys as the bytes `first` and `last`.
template <typename Own>
struct XmmBlock {
  using Vector = __m128i;
  using Narrower = void;
  static constexpr unsigned lanes = 1;

  static __m128i load(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static __m128i load_after(const std::uint8_t* before, const std::uint8_t*) { return load(before); }
  static __m128i load_windows(const std::uint8_t* p) { return load(p); }
  static void store(std::uint8_t* p, __m128i x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x); }
  static __m128i exclusive_or(__m128i a, __m128i b) { return _mm_xor_si128(a, b); }

  template <typename Keys>
  static __m128i first_key(const Keys& keys) {
    return load(keys.first);
  }
  template <typename Keys>
  static __m128i last_key(const Keys& keys) {
    return load(keys.last);
  }

  static __m128i from_byte(std::uint8_t b) { return _mm_cvtsi32_si128(b); }
  static std::uint8_t to_byte(__m128i x) { return static_cast<std::uint8_t>(_mm_cvtsi128_si32(x)); }
  static __m128i append_byte(__m128i r, __m128i t) { return _mm_alignr_epi8(t, r, 1); }
  static __m128i append_bit(__m128i r, __m128i t) {
    const __m128i carry = _mm_and_si128(_mm_srli_epi16(append_byte(r, t), 7), _mm_set1_epi8(1));
    return _mm_or_si128(_mm_add_epi8(r, r), carry);
  }
};

}  // namespace aesgate
