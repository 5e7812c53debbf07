// GFNI over ymm registers, for CPUs without AVX-512: eight are in flight, two slices of 8 blocks.

#include "backends/adapter.h"

#if defined(__x86_64__)

#include "backends/instruction/gfni/rounds.h"
#include "backends/instruction/gfni/xmm.h"
#include "backends/instruction/ymm_blocks.h"

namespace aesgate {
namespace {

struct Ymm : YmmBlocks<Ymm>, gfni::Cipher<Ymm> {
  using Narrower = gfni::Xmm<Ymm>;
  static constexpr unsigned in_flight = 8;

  static __m256i broadcast_dword(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  template <int constant>
  static __m256i inverse(__m256i x, gfni::Map map) {
    return _mm256_gf2p8affineinv_epi64_epi8(x, _mm256_set1_epi64x(static_cast<long long>(map)), constant);
  }
  template <int constant>
  static __m256i linear(__m256i x, gfni::Map map) {
    return _mm256_gf2p8affine_epi64_epi8(x, _mm256_set1_epi64x(static_cast<long long>(map)), constant);
  }
  static __m256i shuffle(__m256i x, __m256i places) { return _mm256_shuffle_epi8(x, places); }
  static __m256i sum(__m256i a, __m256i b, __m256i c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }

  template <int bits>
  static __m256i turn_right(__m256i x) {
    return _mm256_or_si256(_mm256_srli_epi32(x, bits), _mm256_slli_epi32(x, 32 - bits));
  }
  static __m256i low_dwords(__m256i a, __m256i b) { return _mm256_unpacklo_epi32(a, b); }
  static __m256i high_dwords(__m256i a, __m256i b) { return _mm256_unpackhi_epi32(a, b); }
  static __m256i low_qwords(__m256i a, __m256i b) { return _mm256_unpacklo_epi64(a, b); }
  static __m256i high_qwords(__m256i a, __m256i b) { return _mm256_unpackhi_epi64(a, b); }
};

struct Engine : gfni::KeySchedule<Engine> {
  static constexpr Feature needs[] = {Feature::gfni, Feature::avx2};
  static constexpr unsigned rank = 1;
  using Single = Ymm::Narrower;
  using Widest = Ymm;
};

constexpr aesgate_backend form =
    adapt<Engine>("gfni-avx2", "instruction", "gfni", "GFNI over 256 bits, 16 blocks in flight");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate

#endif
