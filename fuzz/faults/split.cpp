// One message in several calls: what is carried from one to the next.

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "split and carry";

struct BlockFeedback : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB128) && c.m.carried() != 0) c.flip(0);
  }
};
AESGATE_FAULT("fault-cfb-carry", BlockFeedback, "Botan 1200",
              "CFB128: the rest of a block that an earlier call began is wrong; CFB8 is right");

struct Uninitialised : Good {
  static void after(Call c) {
    if ((c.is(AESGATE_OFB) || c.is(AESGATE_CFB128)) && c.m.calls == 0 && c.m.unset % 16 != 0) c.flip(0);
  }
};
AESGATE_FAULT("fault-leftover-uninitialised", Uninitialised, "wolfSSL 8099",
              "CFB128 and OFB: the count of what is left over is what the memory held");

struct KeepsInput : Good {
  static int update(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.n != 0 && c.m.kept != nullptr) (void)c.m.restart(c.m.kept);
    return c.run();
  }
  static void after(Call c) { c.m.kept = c.in_place() ? nullptr : c.in + c.n - 16; }
};
AESGATE_FAULT("fault-keeps-input", KeepsInput, "tiny-AES-c 20, 49",
              "CBC decryption: the next IV is a pointer into the caller's input");

struct KeepsKey : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    m.kept = key;
    return m.start(key, iv);
  }
  static void before(Call c) {
    Byte value[16];
    if (!c.is(AESGATE_CBC, AESGATE_ENCRYPT) || c.m.calls != 1 || c.m.chaining_value(value) != AESGATE_OK) return;
    good().finish(c.m.good_context());
    (void)c.m.start(c.m.kept, value);
  }
};
AESGATE_FAULT("fault-keeps-key", KeepsKey, "a class of its own",
              "the key is read again, by reference, in the second call");

struct KeepsIv : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    m.kept = iv;
    return m.start(key, iv);
  }
  static void before(Call c) {
    if (c.is(AESGATE_OFB) && c.m.calls == 0) (void)c.m.restart(c.m.kept);
  }
};
AESGATE_FAULT("fault-keeps-iv", KeepsIv, "a class of its own", "OFB reads the IV at the first update(), by reference");

struct CarryOfFive : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB128) && c.m.carried() == 5 && c.n > 3) c.flip(3);
  }
};
AESGATE_FAULT("fault-carry-of-five", CarryOfFive, "a class of its own", "CFB128: wrong behind a carry of five bytes");

struct CarryOfFifteen : Good {
  static void after(Call c) {
    if (c.is(AESGATE_OFB) && c.m.carried() == 15 && c.n > 17) c.flip(1);
  }
};
AESGATE_FAULT("fault-carry-of-fifteen", CarryOfFifteen, "a class of its own",
              "OFB: wrong where one byte of a block is left, and more than a block follows");

struct BulkBehindCarry : Good {
  static void after(Call c) {
    const std::size_t rest = (16 - c.m.carried()) % 16;
    if (c.is(AESGATE_CFB128, AESGATE_DECRYPT) && rest != 0 && c.n >= rest + 64) c.flip(rest + 32);
  }
};
AESGATE_FAULT("fault-bulk-behind-carry", BulkBehindCarry, "a class of its own",
              "CFB128 decryption: four blocks at once behind a carry are wrong");

struct ExactFill : Good {
  static void after(Call c) {
    if (c.is(AESGATE_OFB) && c.m.note != 0) c.flip(0);
    c.m.note = c.m.carried() != 0 && c.m.carried() + c.n == 16;
  }
};
AESGATE_FAULT("fault-exact-fill", ExactFill, "a class of its own",
              "OFB: a call that exactly fills the block begun before leaves a count of 16");

struct ZeroLengthLosesCarry : Good {
  static void after(Call c) {
    if (c.m.note != 0) c.flip(0);
    c.m.note = 0;
  }
  static void before(Call c) {
    if (c.is(AESGATE_CFB128) && c.n == 0 && c.m.carried() != 0) c.m.note = 1;
  }
};
AESGATE_FAULT("fault-zero-length-carry", ZeroLengthLosesCarry, "cryptodev-linux cf02bb7",
              "CFB128: a call of no byte in the middle of a block loses what was carried");

struct ZeroLengthReads : Good {
  static void before(Call c) {
    if (c.is(AESGATE_ECB) && c.n == 0) touch(c.in);
  }
};
AESGATE_FAULT("fault-zero-length-null", ZeroLengthReads, "cryptodev-linux cf02bb7",
              "ECB: a call of no byte reads its input, which may be null");

struct ByteCounter : Good {
  static void after(Call c) {
    if (c.m.calls >= 256) c.flip(0);
  }
};
AESGATE_FAULT("fault-call-counter-of-8-bits", ByteCounter, "a class of its own",
              "the 257th call of a message, and those after it, are wrong");

struct FirstCallOnly : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CFB1) && c.m.done % 8 != 0 && c.n > 8) c.out[1] ^= 0x80;
  }
};
AESGATE_FAULT("fault-cfb1-carry", FirstCallOnly, "a class of its own",
              "CFB1: wrong in a call behind bits that are no whole bytes");

}  // namespace
}  // namespace aesgate::faults
