// A function that used ymm or zmm registers ends with VZEROUPPER: dirty upper halves make the caller's SSE code wait on
// many CPUs (Intel Optimization Reference Manual, section "Mixing Intel AVX and SSE code").

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "core/bytes.h"
#include "core/cpu.h"
#include "core/registry.h"
#include "core/session.h"

namespace aesgate {
namespace {

/// Bits 128 to 255 of ymm0 to ymm15. This file is compiled for SSE, so nothing but the call before changes them.
std::array<std::uint64_t, 32> upper_halves() {
  std::array<std::uint64_t, 32> halves{};
  asm volatile(
      "vextractf128 $1, %%ymm0, 0x00(%0)\n vextractf128 $1, %%ymm1, 0x10(%0)\n"
      "vextractf128 $1, %%ymm2, 0x20(%0)\n vextractf128 $1, %%ymm3, 0x30(%0)\n"
      "vextractf128 $1, %%ymm4, 0x40(%0)\n vextractf128 $1, %%ymm5, 0x50(%0)\n"
      "vextractf128 $1, %%ymm6, 0x60(%0)\n vextractf128 $1, %%ymm7, 0x70(%0)\n"
      "vextractf128 $1, %%ymm8, 0x80(%0)\n vextractf128 $1, %%ymm9, 0x90(%0)\n"
      "vextractf128 $1, %%ymm10, 0xa0(%0)\n vextractf128 $1, %%ymm11, 0xb0(%0)\n"
      "vextractf128 $1, %%ymm12, 0xc0(%0)\n vextractf128 $1, %%ymm13, 0xd0(%0)\n"
      "vextractf128 $1, %%ymm14, 0xe0(%0)\n vextractf128 $1, %%ymm15, 0xf0(%0)\n"
      :
      : "r"(halves.data())
      : "memory");
  return halves;
}

bool are_clean() {
  const auto halves = upper_halves();
  return std::ranges::count(halves, 0) == static_cast<std::ptrdiff_t>(halves.size());
}

void clean() { asm volatile("vzeroupper" : : : "memory"); }

TEST(upper_halves, the_check_sees_a_dirty_one) {
  if (!has(Feature::avx)) GTEST_SKIP() << why_not(Feature::avx);
  clean();
  EXPECT_TRUE(are_clean());
  asm volatile("vxorps %%ymm9, %%ymm9, %%ymm9\n vcmpps $0, %%ymm9, %%ymm9, %%ymm9" : : : "xmm9");
  EXPECT_FALSE(are_clean());
  clean();
}

TEST(upper_halves, are_clean_after_every_call) {
  if (!has(Feature::avx)) GTEST_SKIP() << why_not(Feature::avx);
  const Bytes key(32, 0x5a);
  const Bytes iv(16, 0xa5);
  const Bytes input(4096, 0x3c);
  Bytes output(input.size());
  for (const aesgate_backend* backend : built_in_backends()) {
    const std::string_view kind = backend->kind;
    if (kind == "library" || kind == "kernel" || !why_unavailable(*backend).empty()) continue;
    for (const Shape& shape : all_shapes()) {
      if (!Session::supports(*backend, shape)) continue;
      SCOPED_TRACE(std::string(backend->name) + ", " + name(shape));
      Session session(*backend, shape);
      clean();
      ASSERT_EQ(session.start(key.data(), iv.data()), Status::ok);
      EXPECT_TRUE(are_clean()) << "after start()";
      // Every step of the widest engine, 64 blocks, and every remainder of it.
      for (std::size_t length = 0; length <= input.size() / 3; length += 16) {
        clean();
        ASSERT_EQ(session.update(input.data(), output.data(), length), Status::ok);
        ASSERT_TRUE(are_clean()) << "after update() of " << length;
      }
    }
  }
}

}  // namespace
}  // namespace aesgate

#endif
