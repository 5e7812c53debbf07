// Keys that stay in memory.

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "secrets";

struct WipesNothing : Good {
  static void finish(Message& /*m*/) {}
};
AESGATE_FAULT("fault-wipes-nothing", WipesNothing, "a class of its own", "finish() leaves the key in the context");

struct WipesPointer : Good {
  static void finish(Message& m) { std::memset(static_cast<void*>(&m), 0, sizeof(&m)); }
};
AESGATE_FAULT("fault-wipes-a-pointer", WipesPointer, "a class of its own",
              "finish() wipes as many bytes as a pointer has");

struct RoundKeysLeft : Good {
  static void finish(Message& m) { m.wipe(); }
};
AESGATE_FAULT("fault-round-keys-left", RoundKeysLeft, "a class of its own",
              "finish() wipes the key and leaves its round keys");

struct KeyLeft : Good {
  static void finish(Message& m) {
    Byte key[32];
    std::memcpy(key, m.key, 32);
    m.finish();
    std::memcpy(m.key, key, 32);
  }
};
AESGATE_FAULT("fault-key-left", KeyLeft, "a class of its own", "finish() wipes the round keys and leaves the key");

struct HalfKeyLeft : Good {
  static void finish(Message& m) {
    Byte half[8];
    std::memcpy(half, m.key + 8, 8);
    m.finish();
    std::memcpy(m.iv + 1, half, 8);
  }
};
AESGATE_FAULT("fault-half-a-key-left", HalfKeyLeft, "a class of its own", "finish() leaves 8 bytes of the key");

struct WordsLeft : Good {
  static void finish(Message& m) {
    Byte words[16];
    std::memcpy(words, m.key, 16);
    m.finish();
    std::memcpy(m.key, words, 4);
    std::memcpy(m.key + 8, words + 8, 4);
  }
};
AESGATE_FAULT("fault-every-second-word-left", WordsLeft, "a class of its own",
              "finish() wipes every second word of the key");

struct KeyOnStack : Good {
  static constexpr const char* needs = "warning: leaves round keys on the stack";
  __attribute__((noinline)) static void copy_key(const Message& m) {
    Byte copy[512];
    std::memcpy(copy + 64, m.key, 32);
    asm volatile("" : : "r"(copy) : "memory");  // used, for all that a compiler knows
  }
  static void after(Call c) { copy_key(c.m); }
};
AESGATE_FAULT("fault-key-on-stack", KeyOnStack, "a class of its own", "update() leaves a copy of the key on the stack");

}  // namespace
}  // namespace aesgate::faults
