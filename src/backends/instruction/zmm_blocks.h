#pragma once

#include "backends/instruction/xmm_blocks.h"

namespace aesgate {

/// ZmmBlocks: what a Width (modes/engine.h) of four blocks in a zmm register has, whatever unit works on it. AVX512F.
template <typename Own>
struct ZmmBlocks {
  using Vector = __m512i;
  static constexpr unsigned lanes = 4;
  static constexpr unsigned smallest = 1;

  static __m512i broadcast(__m128i block) { return _mm512_broadcast_i32x4(block); }
  static __m512i load(const std::uint8_t* p) { return _mm512_loadu_si512(p); }

  static __m512i load_after(const std::uint8_t* before, const std::uint8_t* p) {
    const __m512i x = load(p);
    return _mm512_alignr_epi64(x, _mm512_inserti32x4(x, Block::load(before), 3), 6);
  }

  static __m512i load_windows(const std::uint8_t* p) {
    __m512i x = _mm512_castsi128_si512(Block::load(p));
    x = _mm512_inserti32x4(x, Block::load(p + 1), 1);
    x = _mm512_inserti32x4(x, Block::load(p + 2), 2);
    return _mm512_inserti32x4(x, Block::load(p + 3), 3);
  }

  static void store(std::uint8_t* p, __m512i x) { _mm512_storeu_si512(p, x); }
  static __m512i exclusive_or(__m512i a, __m512i b) { return _mm512_xor_si512(a, b); }

 private:
  using Block = XmmBlocks<Own>;
};

}  // namespace aesgate
