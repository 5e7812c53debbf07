#pragma once

#include "backends/instruction/xmm_blocks.h"

namespace aesgate {

/// YmmBlocks: what a Width (modes/engine.h) of two blocks in a ymm register has, whatever unit works on it. AVX2.
template <typename Own>
struct YmmBlocks {
  using Vector = __m256i;
  static constexpr unsigned lanes = 2;
  static constexpr unsigned smallest = 1;

  static __m256i broadcast(__m128i block) { return _mm256_broadcastsi128_si256(block); }
  static __m256i load(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static __m256i load_after(const std::uint8_t* before, const std::uint8_t* p) { return pair(before, p); }
  static __m256i load_windows(const std::uint8_t* p) { return pair(p, p + 1); }
  static void store(std::uint8_t* p, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static __m256i exclusive_or(__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }

 private:
  static __m256i pair(const std::uint8_t* first, const std::uint8_t* second) {
    using Block = XmmBlocks<Own>;
    return _mm256_inserti128_si256(_mm256_castsi128_si256(Block::load(first)), Block::load(second), 1);
  }
};

}  // namespace aesgate
