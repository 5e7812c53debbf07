// VAES in zmm registers (Intel SDM volume 2): four blocks in each, eight of them in flight. What is left over, fewer
// than four blocks, goes through xmm registers, and so do the serial modes.

#include "backends/adapter.h"

#if defined(__x86_64__)

#include "backends/instruction/aes_x86.h"

namespace aesgate {
namespace {

struct Zmm : AesRounds<Zmm> {
  using Vector = __m512i;
  using Narrower = AesXmm<Zmm>;
  static constexpr unsigned lanes = 4;
  static constexpr unsigned in_flight = 16;
  static constexpr unsigned smallest = 1;

  static __m512i broadcast(__m128i key) { return _mm512_broadcast_i32x4(key); }
  static __m512i round(__m512i x, __m512i key) { return _mm512_aesenc_epi128(x, key); }
  static __m512i last_round(__m512i x, __m512i key) { return _mm512_aesenclast_epi128(x, key); }
  static __m512i inverse_round(__m512i x, __m512i key) { return _mm512_aesdec_epi128(x, key); }
  static __m512i inverse_last_round(__m512i x, __m512i key) { return _mm512_aesdeclast_epi128(x, key); }

  static __m512i load(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
  static __m512i load_after(const std::uint8_t* before, const std::uint8_t* p) {
    return _mm512_alignr_epi64(load(p), broadcast(Narrower::load(before)), 6);
  }

  static __m512i load_windows(const std::uint8_t* p) {
    __m512i x = _mm512_castsi128_si512(Narrower::load(p));
    x = _mm512_inserti32x4(x, Narrower::load(p + 1), 1);
    x = _mm512_inserti32x4(x, Narrower::load(p + 2), 2);
    return _mm512_inserti32x4(x, Narrower::load(p + 3), 3);
  }

  static void store(std::uint8_t* p, __m512i x) { _mm512_storeu_si512(p, x); }
  static __m512i exclusive_or(__m512i a, __m512i b) { return _mm512_xor_si512(a, b); }
};

struct Engine : AesKeySchedule<Engine> {
  static constexpr Feature needs[] = {Feature::aes, Feature::vaes, Feature::avx2, Feature::avx512};
  using Single = Zmm::Narrower;
  using Widest = Zmm;
};

constexpr aesgate_backend backend =
    adapt<Engine>("vaes512", "instruction", "vaes.zmm", "VAES, eight times four blocks in flight");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate

#else

AESGATE_ELSEWHERE("vaes512", "instruction", "vaes.zmm", "VAES, eight times four blocks in flight",
                  "vaes512 needs an x86-64 CPU");

#endif
