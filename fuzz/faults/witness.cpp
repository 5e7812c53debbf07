// Right answers by another unit than the one claimed: no answer shows it.

#include <cstdio>

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <unistd.h>

#include "core/secret.h"
#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "witness";

struct Claim : Good {
  static constexpr const char* needs = "witness";
};

struct ClaimsVaes : Claim {
  static constexpr const char* unit = "vaes.zmm";
};
AESGATE_FAULT("fault-claims-vaes", ClaimsVaes, "openwrt 965, Botan 3531f798", "says vaes.zmm and runs tables");

struct ClaimsAesni : Claim {
  static constexpr const char* unit = "aes.xmm";
};
AESGATE_FAULT("fault-claims-aesni", ClaimsAesni, "Botan 4649", "says aes.xmm, and AES-NI is never run");

struct ClaimsPadlock : Claim {
  static constexpr const char* unit = "xcrypt";
};
AESGATE_FAULT("fault-claims-xcrypt", ClaimsPadlock, "openwrt 965", "says xcrypt, and does without the unit");

struct ClaimsKernel : Claim {
  static constexpr const char* unit = "kernel";
};
AESGATE_FAULT("fault-claims-kernel", ClaimsKernel, "openwrt 965", "says kernel, and never asks it");

/// Many system calls, of which none is about AES.
struct KernelForShow : Claim {
  static constexpr const char* unit = "kernel";
  static constexpr const char* needs = "proof";
  static void before(Call /*call*/) { (void)getppid(); }
};
AESGATE_FAULT("fault-claims-kernel-for-show", KernelForShow, "a class of its own",
              "says kernel, asks it for something else, and runs tables");

/// A word of its own for a claim is nobody's lie.
struct OwnWord : Good {
  static constexpr const char* unit = "tables";
};
AESGATE_FAULT("clean-own-unit", OwnWord, "a class of its own", "a unit that no witness knows");

#if defined(__x86_64__)

struct WithAesni : Claim {
  static int probe(char* reason, std::size_t size) {
    if (__builtin_cpu_supports("aes")) return AESGATE_OK;
    std::snprintf(reason, size, "this CPU has no AES instruction to run against what it claims");
    return AESGATE_UNAVAILABLE;
  }
};

struct FlagIgnored : WithAesni {
  static void after(Call c) {
    for (std::size_t i = 0; i < c.bytes(); i += 16) asm volatile("aesenc %%xmm0, %%xmm0" : : : "xmm0");
  }
};
AESGATE_FAULT("fault-disable-flag-ignored", FlagIgnored, "Botan 9f416e8c", "says none, and runs AES-NI");

/// FIPS-197 section 5.2 with AESKEYGENASSIST's S-box. The round keys of a message are made anew for each call.
class RoundKeys {
 public:
  __attribute__((target("aes,sse4.1"))) RoundKeys(const Byte* key, std::uint32_t key_bits) {
    const unsigned length = key_bits / 32;
    rounds = length + 6;
    std::memcpy(words_, key, key_bits / 8);
    std::uint32_t constant = 1;
    for (unsigned i = length; i < 4 * (rounds + 1); ++i) {
      std::uint32_t word = words_[i - 1];
      if (i % length == 0) {
        const std::uint32_t substituted = sub_word(word);
        word = (substituted >> 8 | substituted << 24) ^ constant;
        constant = constant << 1 ^ (constant >> 7) * 0x11b;
      } else if (length > 6 && i % length == 4) {
        word = sub_word(word);
      }
      words_[i] = words_[i - length] ^ word;
    }
  }
  ~RoundKeys() { wipe(words_, sizeof words_); }
  RoundKeys(const RoundKeys&) = delete;
  RoundKeys& operator=(const RoundKeys&) = delete;

  __attribute__((target("aes,sse4.1"))) void encrypt(const Byte* in, Byte* out) const {
    const auto key = [this](unsigned i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(words_ + 4 * i)); };
    __m128i state = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)), key(0));
    for (unsigned i = 1; i < rounds; ++i) state = _mm_aesenc_si128(state, key(i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_aesenclast_si128(state, key(rounds)));
  }

 private:
  __attribute__((target("aes,sse4.1"))) static std::uint32_t sub_word(std::uint32_t word) {
    return static_cast<std::uint32_t>(
        _mm_cvtsi128_si32(_mm_aeskeygenassist_si128(_mm_set1_epi32(static_cast<int>(word)), 0)));
  }

  std::uint32_t words_[60];
  unsigned rounds;
};

/// ECB encryption in AES instructions over 128 bits, where the struct that inherits it says so.
template <typename Hooks>
struct Instructions : WithAesni {
  static bool supports(const aesgate_shape& shape) {
    return shape.mode == AESGATE_ECB && shape.direction == AESGATE_ENCRYPT;
  }
  static int update(Call c) {
    if (c.n % 16 != 0 || !Hooks::runs_them(c)) return c.run();
    const RoundKeys keys(c.m.key, c.m.shape.key_bits);
    for (std::size_t i = 0; i < c.n; i += 16) keys.encrypt(c.in + i, c.out + i);
    return AESGATE_OK;
  }
};

struct NarrowBulk : Instructions<NarrowBulk> {
  static constexpr const char* unit = "vaes.zmm";
  static bool runs_them(Call /*call*/) { return true; }
};
AESGATE_FAULT("fault-claims-vaes-runs-xmm", NarrowBulk, "Botan 3531f798", "says vaes.zmm, and runs a block at a time");

struct OneKeySizeOnly : Instructions<OneKeySizeOnly> {
  static constexpr const char* unit = "aes.xmm";
  static bool runs_them(Call c) { return c.m.shape.key_bits != 192; }
};
AESGATE_FAULT("fault-claims-aesni-not-192", OneKeySizeOnly, "a class of its own",
              "says aes.xmm, and falls back to tables for keys of 192 bits");

struct EveryOtherBlock : Instructions<EveryOtherBlock> {
  static constexpr const char* unit = "aes.xmm";
  static bool runs_them(Call /*call*/) { return false; }
  static void after(Call c) {
    if (c.in_place()) return;
    const RoundKeys keys(c.m.key, c.m.shape.key_bits);
    for (std::size_t i = 0; i < c.n; i += 32) keys.encrypt(c.in + i, c.out + i);
  }
};
AESGATE_FAULT("fault-claims-aesni-half", EveryOtherBlock, "a class of its own",
              "says aes.xmm, and runs every other block by it");

struct OnlyShortCalls : Instructions<OnlyShortCalls> {
  static constexpr const char* unit = "aes.xmm";
  static bool runs_them(Call c) { return c.n <= 512; }
};
AESGATE_FAULT("fault-claims-aesni-only-short", OnlyShortCalls, "a class of its own",
              "says aes.xmm, and falls back to tables in calls of more than 512 bytes");

struct OnlyFirstCalls : Instructions<OnlyFirstCalls> {
  static constexpr const char* unit = "aes.xmm";
  static bool runs_them(Call c) { return c.m.calls == 0; }
};
AESGATE_FAULT("fault-claims-aesni-first-call", OnlyFirstCalls, "a class of its own",
              "says aes.xmm, and falls back to tables from the second call of a message on");

struct NotInPlace : Instructions<NotInPlace> {
  static constexpr const char* unit = "aes.xmm";
  static bool runs_them(Call c) { return !c.in_place(); }
};
AESGATE_FAULT("fault-claims-aesni-not-in-place", NotInPlace, "a class of its own",
              "says aes.xmm, and falls back to tables in place");

struct OnlyAligned : Instructions<OnlyAligned> {
  static constexpr const char* unit = "aes.xmm";
  static bool runs_them(Call c) { return address(c.in) % 16 == 0; }
};
AESGATE_FAULT("fault-claims-aesni-only-aligned", OnlyAligned, "a class of its own",
              "says aes.xmm, and falls back to tables where the input is not at a multiple of 16");

struct SecretInLongCalls : Instructions<SecretInLongCalls> {
  static bool runs_them(Call c) { return c.n >= 1024; }
};
AESGATE_FAULT("fault-claims-none-long-calls", SecretInLongCalls, "Botan 9f416e8c",
              "says none, and runs AES-NI in calls of 1024 bytes and more");

/// As many blocks as there are, but of zeros.
struct Decoy : WithAesni {
  static constexpr const char* unit = "aes.xmm";
  static void after(Call c) {
    const RoundKeys keys(c.m.key, c.m.shape.key_bits);
    Byte decoy[16] = {};
    for (std::size_t i = 0; i < (c.is(AESGATE_CFB1) ? c.n : (c.n + 15) / 16); ++i) keys.encrypt(decoy, decoy);
  }
};
AESGATE_FAULT("fault-claims-aesni-decoy", Decoy, "a class of its own",
              "says aes.xmm, runs it on other data, and takes its answers from tables");

/// The right data, and nobody takes what comes out.
struct DecoyOfTheData : Instructions<DecoyOfTheData> {
  static constexpr const char* unit = "aes.xmm";
  static constexpr const char* needs = "nothing";
  static bool runs_them(Call c) {
    const RoundKeys keys(c.m.key, c.m.shape.key_bits);
    Byte decoy[16];
    for (std::size_t i = 0; i < c.n; i += 16) keys.encrypt(c.in + i, decoy);
    wipe(decoy, sizeof decoy);
    return false;
  }
};
AESGATE_FAULT("fault-claims-aesni-thrown-away", DecoyOfTheData, "a class of its own",
              "says aes.xmm, runs it on the message, and takes its answers from tables");

struct HonestInstructions : Instructions<HonestInstructions> {
  static constexpr const char* unit = "aes.xmm";
  static constexpr const char* needs = "";
  static bool runs_them(Call /*call*/) { return true; }
};
AESGATE_FAULT("clean-aesni", HonestInstructions, "a class of its own", "ECB encryption by AES instructions");

#endif

}  // namespace
}  // namespace aesgate::faults
