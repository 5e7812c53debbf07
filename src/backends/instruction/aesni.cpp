// AES-NI (Intel SDM volume 2): one block in an xmm register. SSE encodings only, so that a CPU without AVX can run it.

#include "backends/adapter.h"

#if defined(__x86_64__) || defined(__i386__)

#include "backends/instruction/aes_rounds.h"

namespace aesgate {
namespace {

struct Engine : AesKeySchedule<Engine> {
  static constexpr Feature needs[] = {Feature::ssse3, Feature::sse41, Feature::aes};
  using Single = AesXmm<Engine>;
  using Widest = AesXmm<Engine>;
};

constexpr aesgate_backend backend = adapt<Engine>("aesni", "instruction", "aes.xmm", "AES-NI, twelve blocks in flight");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate

#else

AESGATE_ELSEWHERE("aesni", "instruction", "aes.xmm", "AES-NI, twelve blocks in flight", "aesni needs an x86 CPU");

#endif
