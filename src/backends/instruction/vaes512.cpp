// VAES in zmm registers (Intel SDM volume 2): four blocks in each. What is left over, fewer than four blocks, goes
// through xmm registers, and so do the serial modes.

#include "backends/adapter.h"

#if defined(__x86_64__)

#include "backends/instruction/aes_rounds.h"
#include "backends/instruction/zmm_blocks.h"

namespace aesgate {
namespace {

struct Zmm : ZmmBlocks<Zmm>, AesRounds<Zmm> {
  using Narrower = AesXmm<Zmm>;
  // Eight would fill two units of latency 4 if none of them ever waited: 1.07 of the floor on Zen 5. Twelve reach 1.03
  // to 1.06, sixteen 1.01 to 1.03.
  static constexpr unsigned in_flight = 16;

  static __m512i round(__m512i x, __m512i key) { return _mm512_aesenc_epi128(x, key); }
  static __m512i last_round(__m512i x, __m512i key) { return _mm512_aesenclast_epi128(x, key); }
  static __m512i inverse_round(__m512i x, __m512i key) { return _mm512_aesdec_epi128(x, key); }
  static __m512i inverse_last_round(__m512i x, __m512i key) { return _mm512_aesdeclast_epi128(x, key); }
};

struct Engine : AesKeySchedule<Engine> {
  static constexpr Feature needs[] = {Feature::aes, Feature::vaes, Feature::avx2, Feature::avx512};
  using Single = Zmm::Narrower;
  using Widest = Zmm;
};

constexpr aesgate_backend backend =
    adapt<Engine>("vaes512", "instruction", "vaes.zmm", "VAES, sixteen times four blocks in flight");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate

#else

AESGATE_ELSEWHERE("vaes512", "instruction", "vaes.zmm", "VAES, sixteen times four blocks in flight",
                  "vaes512 needs an x86-64 CPU");

#endif
