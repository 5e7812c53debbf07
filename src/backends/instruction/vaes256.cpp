// VAES in ymm registers (Intel SDM volume 2), for CPUs without AVX-512, too: two blocks in each, eight of them in
// flight. One block left over goes through an xmm register, and so do the serial modes.

#include "backends/adapter.h"

#if defined(__x86_64__)

#include "backends/instruction/aes_x86.h"

namespace aesgate {
namespace {

struct Ymm : AesRounds<Ymm> {
  using Vector = __m256i;
  using Narrower = AesXmm<Ymm>;
  static constexpr unsigned lanes = 2;
  static constexpr unsigned in_flight = 8;
  static constexpr unsigned smallest = 1;

  static __m256i broadcast(__m128i key) { return _mm256_broadcastsi128_si256(key); }
  static __m256i round(__m256i x, __m256i key) { return _mm256_aesenc_epi128(x, key); }
  static __m256i last_round(__m256i x, __m256i key) { return _mm256_aesenclast_epi128(x, key); }
  static __m256i inverse_round(__m256i x, __m256i key) { return _mm256_aesdec_epi128(x, key); }
  static __m256i inverse_last_round(__m256i x, __m256i key) { return _mm256_aesdeclast_epi128(x, key); }

  static __m256i load(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static __m256i load_after(const std::uint8_t* before, const std::uint8_t* p) {
    return pair(Narrower::load(before), Narrower::load(p));
  }
  static __m256i load_windows(const std::uint8_t* p) { return pair(Narrower::load(p), Narrower::load(p + 1)); }

  static void store(std::uint8_t* p, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static __m256i exclusive_or(__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }

 private:
  static __m256i pair(__m128i first, __m128i second) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
  }
};

struct Engine : AesKeySchedule<Engine> {
  static constexpr Feature needs[] = {Feature::aes, Feature::vaes, Feature::avx2};
  using Single = Ymm::Narrower;
  using Widest = Ymm;
};

constexpr aesgate_backend backend =
    adapt<Engine>("vaes256", "instruction", "vaes.ymm", "VAES, eight times two blocks in flight");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate

#else

AESGATE_ELSEWHERE("vaes256", "instruction", "vaes.ymm", "VAES, eight times two blocks in flight",
                  "vaes256 needs an x86-64 CPU");

#endif
