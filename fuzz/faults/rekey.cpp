// Key schedules, and what is left of one message in the next.

#include <algorithm>
#include <utility>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "key and reuse";

struct SwappedByRounds : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    if (m.shape.key_bits == 128) return m.start(key, iv);
    Byte swapped[32];
    for (std::size_t i = 0; i < m.shape.key_bits / 8; ++i) swapped[i] = key[i ^ 3];
    return m.start(swapped, iv);
  }
};
AESGATE_FAULT("fault-key-bytes-swapped", SwappedByRounds, "OpenSSL 20073, 20077",
              "the words of 192 and 256-bit keys are byte-swapped");

/// The key with `bytes` zeros at its end.
template <std::uint32_t key_bits, std::size_t bytes>
struct KeyCut : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    if (m.shape.key_bits != key_bits) return m.start(key, iv);
    Byte cut[32]{};
    std::copy_n(key, key_bits / 8 - bytes, cut);
    return m.start(cut, iv);
  }
};
using SetUpForAnother = KeyCut<192, 8>;
using LastWord = KeyCut<256, 4>;
AESGATE_FAULT("fault-key-set-up-of-another", SetUpForAnother, "libgcrypt 6c942ec4",
              "a 192-bit key is set up as one of 128 bits, as another backend wanted");
AESGATE_FAULT("fault-schedule-of-256", LastWord, "Botan c14e792b",
              "the schedule of a 256-bit key leaves out its last word");

struct DecryptSchedule : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    if (m.is(AESGATE_ECB, AESGATE_DECRYPT)) {
      m.shape.direction = AESGATE_ENCRYPT;
      m.good_update = good().update_for(&good(), &m.shape);
    }
    return m.start(key, iv);
  }
};
AESGATE_FAULT("fault-no-decrypt-schedule", DecryptSchedule, "liboqs 800",
              "ECB decryption has the schedule, and the rounds, of encryption");

/// The unit keeps one key, and the driver one control word, to know whether that is the key it wants.
struct StaleControlWord : Good {
  struct Unit {
    const Message* control_word;  // of whom the driver thinks that its key is loaded
    const Message* loaded;        // whose key it is
  };
  static Unit& the_unit() {
    thread_local Unit kept;
    return kept;
  }
  static void forget(const Message& m) {
    if (the_unit().control_word == &m) the_unit().control_word = nullptr;
  }
  static int start(Message& m, const Byte* key, const Byte* iv) {
    forget(m);
    return m.start(key, iv);
  }
  static void finish(Message& m) {
    forget(m);
    m.finish();
  }
  static void before(Call c) {
    if (the_unit().control_word == &c.m) return;
    the_unit().loaded = &c.m;
    if (c.m.shape.direction == AESGATE_ENCRYPT) the_unit().control_word = &c.m;  // forgotten in decryption
  }
  static void after(Call c) {
    if (the_unit().loaded != &c.m) c.flip(0);
  }
};
AESGATE_FAULT("fault-stale-control-word", StaleControlWord, "Linux padlock-aes",
              "decryption does not store its control word: the next encryption of another context takes its key");

struct SameKeySkipped : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    thread_local Byte last[32];
    thread_local std::uint32_t last_bits;
    const bool same = last_bits == m.shape.key_bits && std::equal(key, key + last_bits / 8, last);
    std::copy_n(key, m.shape.key_bits / 8, last);
    last_bits = m.shape.key_bits;
    static constexpr Byte old_iv[16]{};
    return m.start(key, same && m.is(AESGATE_CBC) ? old_iv : iv);
  }
};
AESGATE_FAULT("fault-same-key-skips-iv", SameKeySkipped, "a class of its own",
              "CBC: where the key is that of the message before, setting up is skipped, and the IV with it");

struct KeyWordZero : Good {
  static void after(Call c) {
    if (c.m.shape.key_bits == 256 && c.m.key[28] == 0) c.flip(0);
  }
};
AESGATE_FAULT("fault-key-word-zero", KeyWordZero, "a class of its own",
              "wrong for 256-bit keys whose last word begins with a zero");

/// What finish() leaves behind in the context, for the next start() to stumble over.
constexpr std::size_t used_mark = 0x75736564;

struct IvBeforeKey : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    static constexpr Byte zero[16]{};
    const bool again = m.unset == used_mark;
    m.unset = used_mark;
    return m.start(key, again && m.is(AESGATE_CBC) ? zero : iv);
  }
  static void finish(Message& m) {
    m.finish();
    m.unset = used_mark;
  }
};
AESGATE_FAULT("fault-iv-before-key", IvBeforeKey, "wolfEngine 153",
              "CBC: a context that was used before sets its IV and then zeroes it with the old key");

struct LeftoverOfBefore : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    const int status = m.start(key, iv);
    m.note = m.unset >> 32 == used_mark ? m.unset & 15 : 0;
    m.unset = used_mark << 32;
    return status;
  }
  static void after(Call c) {
    if (c.is(AESGATE_CFB128) && c.m.note != 0 && c.m.calls == 0) c.flip(0);
    c.m.unset = used_mark << 32 | (c.m.done + c.n) % 16;
  }
  static void finish(Message& m) {
    const std::size_t left = m.unset;
    m.finish();
    m.unset = left;
  }
};
AESGATE_FAULT("fault-leftover-of-message-before", LeftoverOfBefore, "a class of its own",
              "CFB128: started again on the same memory, it goes on in the middle of the last block");

struct RestartIgnored : Good {
  static int restart(Message& /*m*/, const Byte* /*iv*/) { return AESGATE_OK; }
};
AESGATE_FAULT("fault-restart-ignored", RestartIgnored, "a class of its own", "restart() does nothing");

struct RestartKeepsPosition : Good {
  static int restart(Message& m, const Byte* iv) {
    Byte skipped[16]{};
    const int status = m.restart(iv);
    if (m.is(AESGATE_OFB)) (void)m.update(skipped, skipped, 3);
    return status;
  }
};
AESGATE_FAULT("fault-restart-keeps-position", RestartKeepsPosition, "a class of its own",
              "OFB: restart() leaves the place in the keystream block as it was");

struct RestartReadsKey : Good {
  static int start(Message& m, const Byte* key, const Byte* iv) {
    m.kept = key;
    return m.start(key, iv);
  }
  static int restart(Message& m, const Byte* iv) {
    good().finish(m.good_context());
    return m.start(m.kept, iv);
  }
};
AESGATE_FAULT("fault-restart-reads-key", RestartReadsKey, "a class of its own",
              "restart() expands the key again, from where the caller had it");

struct RestartInEcb : Good {
  static int restart(Message& m, const Byte* iv) { return m.is(AESGATE_ECB) ? int{AESGATE_FAILED} : m.restart(iv); }
};
AESGATE_FAULT("fault-restart-refused-in-ecb", RestartInEcb, "a class of its own",
              "restart() fails in ECB, which has no IV");

/// restart() that is wrong after some messages, and right after all others.
struct RestartAfterLong : Good {
  static void after(Call c) { c.m.note += c.n; }
  static int restart(Message& m, const Byte* iv) {
    const bool wrong = m.is(AESGATE_CBC) && std::exchange(m.note, 0) > 256;
    const int status = m.restart(iv);
    if (wrong) m.spoil_chain();
    return status;
  }
};
AESGATE_FAULT("fault-restart-after-256-bytes", RestartAfterLong, "a class of its own",
              "CBC: restart() after a message of more than 256 bytes");

struct RestartAfterNothing : Good {
  static void after(Call c) { c.m.note = 1; }
  static int restart(Message& m, const Byte* iv) {
    const bool wrong = m.is(AESGATE_CFB128) && std::exchange(m.note, 0) == 0;
    const int status = m.restart(iv);
    if (wrong) m.spoil_chain();
    return status;
  }
};
AESGATE_FAULT("fault-restart-after-nothing", RestartAfterNothing, "a class of its own",
              "CFB128: restart() of a context that has seen no data");

struct ThirdRestart : Good {
  static int restart(Message& m, const Byte* iv) {
    const int status = m.restart(iv);
    if (m.is(AESGATE_CBC) && ++m.note == 3) m.spoil_chain();
    return status;
  }
};
AESGATE_FAULT("fault-third-restart", ThirdRestart, "a class of its own", "CBC: the third restart() of a context");

}  // namespace
}  // namespace aesgate::faults
