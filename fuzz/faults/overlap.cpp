// In place, and what is done to the input.

#include <vector>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "in place";

/// Decryption of chained blocks that takes the block before from where the output already lies.
int run_from_overwritten(Call c) {
  const std::vector<Byte> in(c.in, c.in + c.n);
  const int status = c.run();
  for (std::size_t i = 16; status == AESGATE_OK && i < c.n; ++i)
    c.out[i] = static_cast<Byte>(c.out[i] ^ in[i - 16] ^ c.out[i - 16]);
  return status;
}

struct CbcDecrypt : Good {
  static int update(Call c) {
    const bool wrong = c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.in_place() && c.n >= 32;
    return wrong ? run_from_overwritten(c) : c.run();
  }
};
AESGATE_FAULT("fault-cbc-decrypt-in-place", CbcDecrypt, "isa-l_crypto 143, pycryptodome 582",
              "CBC decryption in place adds the plaintext before, where the ciphertext was");

struct CfbDecrypt : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB128, AESGATE_DECRYPT) && c.in_place() && c.n >= 32) c.flip(16);
  }
};
AESGATE_FAULT("fault-cfb-decrypt-in-place", CfbDecrypt, "pycryptodome 420",
              "CFB128 decryption in place goes on with the plaintext");

struct Cfb8Decrypt : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB8, AESGATE_DECRYPT) && c.in_place() && c.n >= 33) c.flip(32);
  }
};
AESGATE_FAULT("fault-cfb8-decrypt-in-place", Cfb8Decrypt, "a class of its own",
              "CFB8 decryption in place: windows of sixteen bytes are read after they were overwritten");

struct ZeroCopyInverted : Good {
  static int update(Call c) {
    const bool aligned = address(c.in) % 16 == 0 && address(c.out) % 16 == 0;
    if (!aligned || !c.in_place() || !c.is(AESGATE_CBC) || c.n % 16 != 0) return c.run();
    std::vector<Byte> bounce(c.n);
    return c.m.update(c.in, bounce.data(), c.n);
  }
};
AESGATE_FAULT("fault-zero-copy-inverted", ZeroCopyInverted, "cryptodev-linux ef5f1d9",
              "CBC in place and aligned: the result stays in a buffer of the driver");

struct SamePageOffset : Good {
  static void after(Call c) {
    if (c.is(AESGATE_ECB) && !c.in_place() && (address(c.in) - address(c.out)) % 4096 == 0 && c.n > 16) c.flip(16);
  }
};
AESGATE_FAULT("fault-same-page-offset", SamePageOffset, "a class of its own",
              "ECB: input and output at the same offset in two pages are taken for one buffer");

struct WritesInput : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB1) && c.n > 24 && !c.in_place()) const_cast<Byte*>(c.in)[1] ^= 1;
  }
};
AESGATE_FAULT("fault-writes-input", WritesInput, "libgcrypt 32b4ab20, aada6045",
              "CFB1 uses its input as scratch memory");

struct WritesInputAndBack : Good {
  static void before(Call c) {
    if (c.n < 16 || c.in_place()) return;
    volatile Byte* byte = const_cast<Byte*>(c.in);
    const Byte was = *byte;
    *byte = static_cast<Byte>(~was);
    *byte = was;
  }
};
AESGATE_FAULT("fault-writes-input-and-back", WritesInputAndBack, "a class of its own",
              "the input is written to and is as before in the end: only read-only memory shows it");

}  // namespace
}  // namespace aesgate::faults
