// Memory that is not the caller's to give: reads and writes beside the buffers, the key, the IV and the context.

#include <algorithm>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "guard pages";

struct CarryReads : Good {
  static void before(Call c) {
    const std::size_t carried = c.m.carried();
    if (c.is(AESGATE_CFB128) && carried != 0 && c.n != 0 && c.n < 16 - carried) touch(c.in + 15 - carried);
  }
};
AESGATE_FAULT("fault-carry-over-read", CarryReads, "OpenSSL CVE-2026-28386",
              "CFB128: a call that does not fill the block begun before reads the input as if it did");

struct Prefetch : Good {
  static void before(Call c) {
    const std::size_t ahead = c.is(AESGATE_ECB) ? 128 : c.is(AESGATE_CBC) ? 64 : 0;
    if (ahead != 0 && c.n != 0) touch(c.in + c.n + ahead - 1);
  }
};
AESGATE_FAULT("fault-prefetch", Prefetch, "Linux padlock-aes, OpenSSL padlock",
              "ECB reads 128 bytes and CBC 64 past the end of the input");

struct PartialReadWhole : Good {
  static void before(Call c) {
    if ((c.is(AESGATE_OFB) || c.is(AESGATE_CFB128)) && c.n % 16 != 0 && c.m.carried() == 0) touch(c.in + (c.n | 15));
  }
};
AESGATE_FAULT("fault-partial-read-whole", PartialReadWhole, "Linux s390 d07f9519",
              "CFB128 and OFB read the last partial block of the input whole");

struct FourOfFive : Good {
  static void before(Call c) {
    if (c.is(AESGATE_ECB, AESGATE_DECRYPT) && c.blocks() % 5 == 4) touch(c.in + c.n);
  }
};
AESGATE_FAULT("fault-over-read-four-of-five", FourOfFive, "OpenSSL CVE-2023-1255",
              "ECB decryption of 4, 9, 14 … blocks reads one more");

struct WideTail : Good {
  static void before(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.n > 64 && c.n % 64 != 0) touch(c.in + (c.n | 63));
  }
};
AESGATE_FAULT("fault-over-read-48", WideTail, "AWS-LC 2227",
              "CBC decryption reads its last 64 bytes whole, up to 48 past the end");

struct ReadsBefore : Good {
  static void before(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.n >= 32) touch(c.in - 1);
  }
};
AESGATE_FAULT("fault-reads-before", ReadsBefore, "a class of its own",
              "CBC decryption reads the byte before its input");

struct WritesPast : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB8) && c.n % 16 == 1) c.out[c.n] = 0;
  }
};
AESGATE_FAULT("fault-writes-past", WritesPast, "a class of its own", "CFB8 writes a byte past its output");

struct WritesFar : Good {
  static void after(Call c) {
    // Only where the byte is on the output's last page, so that no guard page stops it.
    const std::uintptr_t end = address(c.out) + c.bytes();
    if (c.is(AESGATE_ECB) && c.m.calls == 0 && end % 4096 != 0 && end % 4096 + 80 < 4096) c.out[c.n + 80] = 0;
  }
};
AESGATE_FAULT("fault-writes-far", WritesFar, "a class of its own", "ECB writes a byte that lies 80 past its output");

struct WritesPastAndBack : Good {
  static void after(Call c) {
    if (!c.is(AESGATE_OFB) || c.n % 16 == 0) return;
    volatile Byte* byte = c.out + c.n;
    const Byte was = *byte;
    *byte = 0;
    *byte = was;
  }
};
AESGATE_FAULT("fault-writes-past-and-back", WritesPastAndBack, "a class of its own",
              "OFB writes past a partial block and puts back what was there");

struct WritesBefore : Good {
  static void after(Call c) {
    if (c.is(AESGATE_OFB) && c.n >= 16 && address(c.out) % 16 != 0) c.out[-1] = 0;
  }
};
AESGATE_FAULT("fault-writes-before", WritesBefore, "a class of its own",
              "OFB writes the byte before an output that is misaligned");

struct KeyReadWhole : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    touch(key + 31);
    return m.start(key, iv);
  }
};
AESGATE_FAULT("fault-key-over-read", KeyReadWhole, "a class of its own", "start() reads 32 bytes of a key of any size");

struct IvReadWide : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    if (!m.is(AESGATE_ECB)) touch(iv + 31);
    return m.start(key, iv);
  }
};
AESGATE_FAULT("fault-iv-over-read", IvReadWide, "a class of its own", "start() reads 32 bytes of the IV");

struct IvInEcb : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    if (m.is(AESGATE_ECB)) touch(iv);
    return m.start(key, iv);
  }
};
AESGATE_FAULT("fault-iv-read-in-ecb", IvInEcb, "a class of its own",
              "start() reads the IV in ECB, where it may be null");

struct KeyWritten : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    const int status = m.start(key, iv);
    if (m.shape.key_bits == 192) const_cast<Byte*>(key)[7] ^= 1;
    return status;
  }
};
AESGATE_FAULT("fault-key-written", KeyWritten, "a class of its own", "start() changes the caller's 192-bit key");

struct KeySwappedAndBack : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    volatile Byte* bytes = const_cast<Byte*>(key);
    const Byte was = bytes[0];
    bytes[0] = bytes[3];
    bytes[0] = was;
    return m.start(key, iv);
  }
};
AESGATE_FAULT("fault-key-swapped-and-back", KeySwappedAndBack, "a class of its own",
              "start() swaps bytes of the caller's key and swaps them back: only read-only memory shows it");

struct IvWritten : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    const int status = m.start(key, iv);
    if (m.is(AESGATE_CBC)) const_cast<Byte*>(iv)[7] ^= 1;
    return status;
  }
};
AESGATE_FAULT("fault-iv-written", IvWritten, "a class of its own", "start() changes the caller's IV");

struct WritesPastContext : Good {
  static void after(Call c) {
    if (c.n <= 64) return;
    static_cast<Byte*>(c.m.good_context())[good().context_size(&good(), &c.m.shape)] = 1;
  }
};
AESGATE_FAULT("fault-writes-past-context", WritesPastContext, "a class of its own",
              "calls of more than 64 units write a byte past the context");

struct WritesBeforeContext : Good {
  static void after(Call c) {
    if (c.n > 64) reinterpret_cast<Byte*>(&c.m)[-1] = 1;
  }
};
AESGATE_FAULT("fault-writes-before-context", WritesBeforeContext, "a class of its own",
              "calls of more than 64 units write a byte before the context");

struct ReadsPastContext : Good {
  static void before(Call c) {
    touch(static_cast<const Byte*>(c.m.good_context()) + good().context_size(&good(), &c.m.shape) + 63);
  }
};
AESGATE_FAULT("fault-reads-past-context", ReadsPastContext, "a class of its own",
              "update() reads 64 bytes past the end of the context");

struct TellsTooMuch : Good {
  static int chaining_value(const Message& m, Byte* value) {
    const int status = m.chaining_value(value);
    if (status == AESGATE_OK) value[16] = 0x11;
    return status;
  }
};
AESGATE_FAULT("fault-chaining-writes-17", TellsTooMuch, "a class of its own", "chaining_value() writes 17 bytes");

}  // namespace
}  // namespace aesgate::faults
