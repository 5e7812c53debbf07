// Where buffers and contexts lie.

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "alignment";

struct MisalignedContext : Good {
  static constexpr std::size_t context_align = 16;
};
/// What MisalignedContext's functions do on top: they know where the context itself begins.
int start_aligned(const aesgate_backend* self, void* context, const aesgate_shape* shape, const Byte* key,
                  const Byte* iv) {
  if (address(context) % 32 != 0) __builtin_trap();
  return Functions<MisalignedContext>::start(self, context, shape, key, iv);
}
constexpr Fault misaligned = [] {
  Fault fault =
      make<MisalignedContext>("fault-context-misaligned", group, "Botan 799f7290, libgcrypt a96974de, e2785a22",
                              "asks for contexts at 16 and crashes unless they lie at 32");
  fault.backend.start = start_aligned;
  return fault;
}();
__attribute__((section("aesgate_faults"), used)) static const Fault* const listed_misaligned = &misaligned;

struct CbcOffset : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC) && address(c.in) % 16 != 0 && c.n >= 32) c.flip(c.n - 1);
  }
};
AESGATE_FAULT("fault-cbc-offset", CbcOffset, "Botan ee5db556, d60eb6c9", "CBC: wrong where the input is misaligned");

struct Dma : Good {
  static int update(Call c) {
    if (address(c.out) % 4 == 0 || c.n < 16 || c.is(AESGATE_CFB1)) return c.run();
    const Byte first = c.out[0];
    const int status = c.run();
    c.out[0] = first;
    return status;
  }
};
AESGATE_FAULT("fault-dma-unaligned", Dma, "esp-hal 4123",
              "the first byte of an output that is not at a word is not written");

struct MaskForAlignment : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC) && address(c.in) % 15 == 0 && address(c.in) % 16 != 0) c.flip(0);
  }
};
AESGATE_FAULT("fault-alignmask", MaskForAlignment, "cryptodev-linux 6c69252",
              "CBC: the mask 15 is taken for the alignment: multiples of 15 count as aligned");

struct TwoOffsets : Good {
  static void after(Call c) {
    if (address(c.in) % 16 == 7 && address(c.out) % 16 == 3 && c.bytes() >= 16) c.flip(0);
  }
};
AESGATE_FAULT("fault-two-offsets", TwoOffsets, "a class of its own",
              "wrong where the input lies at 7 and the output at 3 past a multiple of 16");

struct CacheLine : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_ENCRYPT) && address(c.in) % 64 == 49 && c.n >= 32) c.flip(31);
  }
};
AESGATE_FAULT("fault-cache-line", CacheLine, "a class of its own",
              "CBC encryption: wrong where a block crosses a cache line after its first 15 bytes");

struct Key : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    return m.shape.key_bits == 256 && address(key) % 16 == 5 ? int{AESGATE_FAILED} : m.start(key, iv);
  }
};
AESGATE_FAULT("fault-key-unaligned", Key, "a class of its own", "a 256-bit key at 5 past a multiple of 16 is refused");

struct Iv : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    Byte rounded[16];
    if (m.is(AESGATE_ECB) || address(iv) % 4 == 0) return m.start(key, iv);
    std::memcpy(rounded, iv, 16);
    rounded[0] ^= 1;
    return m.start(key, rounded);
  }
};
AESGATE_FAULT("fault-iv-unaligned", Iv, "a class of its own", "an IV that is not at a word is read wrong");

struct CrossesPage : Good {
  static void after(Call c) {
    const std::uintptr_t last = address(c.out) + c.bytes() - 1;
    if (c.bytes() <= 64 && address(c.out) / 4096 != last / 4096) c.flip(c.bytes() - 1);
  }
};
AESGATE_FAULT("fault-crosses-page", CrossesPage, "a class of its own",
              "wrong where an output of at most 64 bytes lies on two pages");

}  // namespace
}  // namespace aesgate::faults
