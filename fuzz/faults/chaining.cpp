// The chaining value that a backend goes on with, or that it tells, is wrong.

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "chaining value";

struct ShortTail : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC) && c.blocks() > 8 && (c.blocks() % 8 == 2 || c.blocks() % 8 == 3)) c.m.spoil_chain();
  }
};
AESGATE_FAULT("fault-iv-after-short-tail", ShortTail, "Linux vmx dcf7b482",
              "CBC: after a tail of two or three blocks behind the loop of eight, the chaining value is wrong");

struct NotCopiedOut : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC)) (void)c.m.restart(c.m.iv);
  }
};
AESGATE_FAULT("fault-iv-not-copied-out", NotCopiedOut, "Linux mxs-dcp fadd7a6e",
              "CBC: every call begins with the IV of the message");

struct FromOverwritten : Good {
  static void after(Call c) {
    if (c.is(AESGATE_CBC, AESGATE_DECRYPT) && c.in_place()) (void)c.m.restart(c.out + c.n - 16);
  }
};
AESGATE_FAULT("fault-iv-from-overwritten-input", FromOverwritten, "Linux sun4i-ss b756f1c8, rockchip f0cfd57b",
              "CBC decryption in place: the next IV is taken from the input after the output lies there");

struct SaysOldIv : Good {
  static int chaining_value(const Message& m, Byte* value) {
    const int status = m.chaining_value(value);
    if (status == AESGATE_OK && (m.is(AESGATE_OFB) || m.is(AESGATE_CFB128))) std::memcpy(value, m.iv, 16);
    return status;
  }
};
AESGATE_FAULT("fault-iv-out-is-iv-in", SaysOldIv, "OpenSSL 16291, libtpms 207",
              "CFB128 and OFB: chaining_value() tells the IV of the message, whatever was done");

struct FirstBlockOfCall : Good {
  static void after(Call c) {
    if (!c.is(AESGATE_CBC, AESGATE_ENCRYPT) || c.blocks() < 2) return;
    (void)c.m.restart(c.out);
  }
};
AESGATE_FAULT("fault-iv-pointer-not-advanced", FirstBlockOfCall, "OpenSSL 1032, 17995",
              "CBC encryption: the next IV is the first block of the output and not the last");

struct ZeroLength : Good {
  static void before(Call c) {
    static constexpr Byte zero[16]{};
    if (c.is(AESGATE_CBC) && c.n == 0 && c.m.done > 0) (void)c.m.restart(zero);
  }
};
AESGATE_FAULT("fault-zero-length-iv", ZeroLength, "Mbed TLS 8066", "CBC: a call of no byte makes the next IV zero");

struct InMidBlock : Good {
  static int chaining_value(const Message& m, Byte* value) {
    const int status = m.chaining_value(value);
    if (status == AESGATE_OK || m.is(AESGATE_ECB)) return status;
    std::memcpy(value, m.iv, 16);
    return AESGATE_OK;
  }
};
AESGATE_FAULT("fault-chaining-in-mid-block", InMidBlock, "a class of its own",
              "CFB128 and OFB: chaining_value() is content in the middle of a block");

struct InEcb : Good {
  static int chaining_value(const Message& m, Byte* value) {
    if (!m.is(AESGATE_ECB)) return m.chaining_value(value);
    std::memset(value, 0, 16);
    return AESGATE_OK;
  }
};
AESGATE_FAULT("fault-chaining-in-ecb", InEcb, "a class of its own", "ECB has a chaining value");

struct NotInCfb1 : Good {
  static int chaining_value(const Message& m, Byte* value) {
    return m.is(AESGATE_CFB1) && m.done % 8 != 0 ? AESGATE_UNSUPPORTED : m.chaining_value(value);
  }
};
AESGATE_FAULT("fault-no-chaining-at-a-bit", NotInCfb1, "a class of its own",
              "CFB1: chaining_value() is refused where the bits done are no whole bytes");

struct ShiftRegister : Good {
  static int chaining_value(const Message& m, Byte* value) {
    const int status = m.chaining_value(value);
    if (m.is(AESGATE_CFB8) && m.done >= 17) value[0] ^= 1;
    return status;
  }
};
AESGATE_FAULT("fault-cfb8-shift-register", ShiftRegister, "a class of its own",
              "CFB8: chaining_value() is wrong once no byte of the IV is left in the register");

struct AskingChanges : Good {
  static int chaining_value(const Message& m, Byte* value) {
    const int status = m.chaining_value(value);
    if (m.is(AESGATE_CFB8) && m.done == 3) const_cast<Message&>(m).spoil_chain();
    return status;
  }
};
AESGATE_FAULT("fault-asking-changes", AskingChanges, "a class of its own",
              "CFB8: chaining_value() after three bytes changes what it should only tell");

struct AskingIsNeeded : Good {
  static int chaining_value(const Message& m, Byte* value) {
    const_cast<Message&>(m).note = m.done;
    return m.chaining_value(value);
  }
  static void after(Call c) {
    if (c.is(AESGATE_OFB) && c.m.carried() != 0 && c.m.note != c.m.done) c.flip(0);
  }
};
AESGATE_FAULT("fault-asking-is-needed", AskingIsNeeded, "a class of its own",
              "OFB: a carry is right only if chaining_value() was called after the call that left it");

}  // namespace
}  // namespace aesgate::faults
