// GFNI over zmm registers: sixteen are in flight, four slices of 16 blocks.

#include "backends/adapter.h"

#if defined(__x86_64__)

#include "backends/instruction/gfni/rounds.h"
#include "backends/instruction/gfni/xmm.h"
#include "backends/instruction/zmm_blocks.h"

namespace aesgate {
namespace {

struct Zmm : ZmmBlocks<Zmm>, gfni::Cipher<Zmm> {
  using Narrower = gfni::Xmm<Zmm>;
  static constexpr unsigned in_flight = 16;

  static __m512i broadcast_dword(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  template <int constant>
  static __m512i inverse(__m512i x, gfni::Map map) {
    return _mm512_gf2p8affineinv_epi64_epi8(x, _mm512_set1_epi64(static_cast<long long>(map)), constant);
  }
  template <int constant>
  static __m512i linear(__m512i x, gfni::Map map) {
    return _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64(static_cast<long long>(map)), constant);
  }
  static __m512i shuffle(__m512i x, __m512i places) { return _mm512_shuffle_epi8(x, places); }
  static __m512i sum(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi32(a, b, c, 0x96); }

  template <int bits>
  static __m512i turn_right(__m512i x) {
    return _mm512_ror_epi32(x, bits);
  }
  static __m512i low_dwords(__m512i a, __m512i b) { return _mm512_unpacklo_epi32(a, b); }
  static __m512i high_dwords(__m512i a, __m512i b) { return _mm512_unpackhi_epi32(a, b); }
  static __m512i low_qwords(__m512i a, __m512i b) { return _mm512_unpacklo_epi64(a, b); }
  static __m512i high_qwords(__m512i a, __m512i b) { return _mm512_unpackhi_epi64(a, b); }
};

struct Engine : gfni::KeySchedule<Engine> {
  static constexpr Feature needs[] = {Feature::gfni, Feature::avx2, Feature::avx512};
  static constexpr unsigned rank = 2;
  using Single = Zmm::Narrower;
  using Widest = Zmm;
};

constexpr aesgate_backend form =
    adapt<Engine>("gfni-avx512", "instruction", "gfni", "GFNI over 512 bits, 64 blocks in flight");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate

#endif
