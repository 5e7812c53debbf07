// VAES in ymm registers (Intel SDM volume 2), for CPUs without AVX-512, too: two blocks in each. One block left over
// goes through an xmm register, and so do the serial modes.

#include "backends/adapter.h"

#if defined(__x86_64__)

#include "backends/instruction/aes_rounds.h"
#include "backends/instruction/ymm_blocks.h"

namespace aesgate {
namespace {

struct Ymm : YmmBlocks<Ymm>, AesRounds<Ymm> {
  using Narrower = AesXmm<Ymm>;
  // Sixteen would leave no register for a round key.
  static constexpr unsigned in_flight = 12;

  static __m256i round(__m256i x, __m256i key) { return _mm256_aesenc_epi128(x, key); }
  static __m256i last_round(__m256i x, __m256i key) { return _mm256_aesenclast_epi128(x, key); }
  static __m256i inverse_round(__m256i x, __m256i key) { return _mm256_aesdec_epi128(x, key); }
  static __m256i inverse_last_round(__m256i x, __m256i key) { return _mm256_aesdeclast_epi128(x, key); }
};

struct Engine : AesKeySchedule<Engine> {
  static constexpr Feature needs[] = {Feature::aes, Feature::vaes, Feature::avx2};
  using Single = Ymm::Narrower;
  using Widest = Ymm;
};

constexpr aesgate_backend backend =
    adapt<Engine>("vaes256", "instruction", "vaes.ymm", "VAES, twelve times two blocks in flight");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate

#else

AESGATE_ELSEWHERE("vaes256", "instruction", "vaes.ymm", "VAES, twelve times two blocks in flight",
                  "vaes256 needs an x86-64 CPU");

#endif
