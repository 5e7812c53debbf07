// Wrong at some lengths of a call: the loops of a parallel backend, their tails, and the limits of a length.

#include <algorithm>
#include <utility>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "lengths";

/// Leaves the last block of the output as it was.
int run_but_last(Call c) {
  Byte before[16];
  std::memcpy(before, c.out + c.n - 16, 16);
  const int status = c.run();
  if (status == AESGATE_OK) std::memcpy(c.out + c.n - 16, before, 16);
  return status;
}

struct LastOfSixUnwritten : Good {
  static int update(Call c) {
    const bool wrong = c.is(AESGATE_ECB, AESGATE_ENCRYPT) && c.n > 0 && c.n % 96 == 0;
    return wrong ? run_but_last(c) : c.run();
  }
};
AESGATE_FAULT("fault-last-of-six-unwritten", LastOfSixUnwritten, "OpenSSL CVE-2022-2097",
              "ECB encryption: the last block of a chunk of six is never written");

struct WholeCountInPrePass : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_ENCRYPT) && c.blocks() > 4 && c.blocks() % 4 != 0) c.flip(c.n - 1);
  }
};
AESGATE_FAULT("fault-blocks-not-by-four", WholeCountInPrePass, "Linux padlock-aes",
              "CBC encryption: wrong where the blocks are more than four and no multiple of four");

struct OnePage : Good {
  static int update(Call c) {
    return c.m.update(c.in, c.out, c.is(AESGATE_CFB1) ? c.n : std::min<std::size_t>(c.n, 4096));
  }
};
AESGATE_FAULT("fault-first-page-only", OnePage, "Linux mxs-dcp fadd7a6e",
              "what lies past 4096 bytes of a call is not processed");

struct PartialRefused : Good {
  static int update(Call c) { return c.is(AESGATE_CFB128) && c.n % 16 != 0 ? AESGATE_BAD_ARGUMENT : c.run(); }
};
AESGATE_FAULT("fault-cfb-as-block-mode", PartialRefused, "Linux ccp c3b359d6", "CFB128 refuses a partial block");

struct BitsMisScaled : Good {
  static int update(Call c) {
    constexpr std::size_t chunk = 4096;
    if (!c.is(AESGATE_CFB1) || c.n <= chunk) return c.run();
    const int status = c.m.update(c.in, c.out, chunk);
    return status != AESGATE_OK ? status : c.m.update(c.in + chunk / 8, c.out + chunk / 8, (c.n - chunk) / 8);
  }
};
AESGATE_FAULT("fault-cfb1-chunk-in-bytes", BitsMisScaled, "OpenSSL 5426",
              "CFB1: past its chunk of 4096 bits the rest is counted in bytes");

struct LeastBitFirst : Good {
  static Byte reversed(Byte b) {
    unsigned r = 0;
    for (unsigned i = 0; i < 8; ++i) r |= (static_cast<unsigned>(b) >> i & 1u) << (7 - i);
    return static_cast<Byte>(r);
  }
  static int update(Call c) {
    if (!c.is(AESGATE_CFB1)) return c.run();
    for (std::size_t i = 0; i < c.n; ++i) {
      Byte bit = static_cast<Byte>((reversed(c.in[i / 8]) << i % 8) & 0x80);
      const int status = c.m.update(&bit, &bit, 1);
      if (status != AESGATE_OK) return status;
      const auto place = static_cast<Byte>(1u << i % 8);
      c.out[i / 8] = static_cast<Byte>((c.out[i / 8] & ~place) | (bit & 0x80 ? place : 0));
    }
    return AESGATE_OK;
  }
};
AESGATE_FAULT("fault-cfb1-least-bit-first", LeastBitFirst, "ACVP 183, 467",
              "CFB1 packs the least significant bit first");

struct TailBitsCleared : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB1) && c.n % 8 != 0) c.out[c.n / 8] &= static_cast<Byte>(0xff00u >> c.n % 8);
  }
};
AESGATE_FAULT("fault-cfb1-tail-bits", TailBitsCleared, "a class of its own",
              "CFB1 clears the bits of the last byte that lie past the length");

/// CFB128 contexts do another mode.
template <std::uint32_t other, bool large_keys_only>
struct OtherSegment : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    if (m.is(AESGATE_CFB128) && (!large_keys_only || m.shape.key_bits != 128)) {
      m.shape.mode = other;
      m.good_update = good().update_for(&good(), &m.shape);
    }
    return m.start(key, iv);
  }
  static int chaining_value(const Message& m, Byte* value) { return m.chaining_value(value); }
};
using Cfb8At192 = OtherSegment<AESGATE_CFB8, true>;
using SegmentOf8 = OtherSegment<AESGATE_CFB8, false>;
AESGATE_FAULT("fault-cfb8-for-large-keys", Cfb8At192, "erlang/otp 1393",
              "CFB128 with 192 and 256-bit keys runs CFB8, in both directions");
AESGATE_FAULT("fault-segment-of-8-bits", SegmentOf8, "pycrypto 226", "CFB128 runs with segments of 8 bits");

struct VersionsDiffer : Good {
  static void after(Call c) {
    if (c.is(AESGATE_ECB) && c.blocks() >= 8) c.flip(16 * (c.blocks() / 8 * 8) - 2);
  }
};
AESGATE_FAULT("fault-bitsliced-differs", VersionsDiffer, "Ko-/aes-armcortexm 1",
              "eight blocks at a time take another path than one, which has one byte wrong");

struct WiderVectors : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.blocks() >= 2) std::swap(c.out[15], c.out[31]);
  }
};
AESGATE_FAULT("fault-wider-vectors", WiderVectors, "libgcrypt 3f684fc6",
              "CBC decryption: right where a vector holds one block, wrong where it holds two");

struct TailSevenOfEight : Good {
  static void after(Call c) {
    if (c.is(AESGATE_ECB) && c.blocks() > 8 && c.blocks() % 8 == 7) c.flip(c.n - 1);
  }
};
AESGATE_FAULT("fault-tail-seven-of-eight", TailSevenOfEight, "a class of its own",
              "ECB: wrong where the tail behind the loop of eight blocks has seven");

struct SeventeenthBlock : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB128, AESGATE_DECRYPT) && c.blocks() >= 17) c.flip(16 * 16);
  }
};
AESGATE_FAULT("fault-seventeenth-block", SeventeenthBlock, "a class of its own",
              "CFB128 decryption: the block after the loop of sixteen is wrong, which NIST's vectors do not reach");

struct SixtyFifthUnwritten : Good {
  static int update(Call c) {
    return c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.blocks() == 65 && c.n % 16 == 0 ? run_but_last(c) : c.run();
  }
};
AESGATE_FAULT("fault-sixty-fifth-unwritten", SixtyFifthUnwritten, "a class of its own",
              "CBC decryption of 65 blocks: the last one is never written");

struct BlocksSwapped : Good {
  static void after(Call c) {
    if (c.is(AESGATE_ECB, AESGATE_DECRYPT) && c.blocks() >= 12 && c.blocks() % 12 == 0)
      std::swap_ranges(c.out, c.out + 16, c.out + 16);
  }
};
AESGATE_FAULT("fault-two-blocks-swapped", BlocksSwapped, "a class of its own",
              "ECB decryption by twelve blocks: the first two come out in each other's place");

struct Half : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB8, AESGATE_DECRYPT) && c.n >= 512) c.flip(511);
  }
};
AESGATE_FAULT("fault-cfb8-past-511", Half, "a class of its own", "CFB8 decryption: byte 511 of a call is wrong");

struct PastFourKiB : Good {
  static void after(Call c) {
    if (c.is(AESGATE_OFB) && c.n == 4097) c.flip(4096);
  }
};
AESGATE_FAULT("fault-ofb-4097", PastFourKiB, "a class of its own", "OFB: the last of 4097 bytes is wrong");

struct SixteenBits : Good {
  static int update(Call c) { return c.is(AESGATE_CFB1) ? c.run() : c.m.update(c.in, c.out, c.n & 0xffff); }
};
AESGATE_FAULT("fault-length-of-16-bits", SixteenBits, "a class of its own",
              "the length is kept in 16 bits: 65536 bytes are none");

struct PastSixtyFourKiB : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.n > 65536) c.flip(65536);
  }
};
AESGATE_FAULT("fault-past-64-kib", PastSixtyFourKiB, "a class of its own",
              "CBC decryption: the block past 64 KiB of a call is wrong");

struct WholeBytesOfBits : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB1, AESGATE_DECRYPT) && c.n >= 256 && c.n % 8 == 0) c.flip(c.bytes() - 1);
  }
};
AESGATE_FAULT("fault-cfb1-whole-bytes", WholeBytesOfBits, "a class of its own",
              "CFB1 decryption: the path for whole bytes, from 256 bits on, has a bit wrong");

}  // namespace
}  // namespace aesgate::faults
