// Lengths of 2^31 and 2^32, in one call and in all.

#include <algorithm>

#include "fuzz/faults/wrapper.h"

namespace aesgate::faults {
namespace {

constexpr const char* group = "long";

constexpr std::size_t two_to_the_31 = std::size_t{1} << 31;
constexpr std::size_t two_to_the_32 = std::size_t{1} << 32;

struct SignedLength : Good {
  static constexpr const char* needs = "deep";
  static int update(Call c) { return c.m.update(c.in, c.out, c.n < two_to_the_31 ? c.n : 0); }
};
AESGATE_FAULT("fault-length-of-31-bits", SignedLength, "tiny-AES-c 172, pyca/cryptography 3324",
              "the length is a signed int: calls of 2^31 units and more do nothing");

struct UnsignedLength : Good {
  static constexpr const char* needs = "deep";
  static int update(Call c) { return c.m.update(c.in, c.out, c.n & (two_to_the_32 - 1)); }
};
AESGATE_FAULT("fault-length-of-32-bits", UnsignedLength, "tiny-AES-c 172, pyca/cryptography 3324",
              "the length is kept in 32 bits");

struct TailOnly : Good {
  static constexpr const char* needs = "deep";
  static void after(Call c) {
    if (c.is(AESGATE_CBC) && c.n >= two_to_the_32) c.m.spoil_chain();
  }
};
AESGATE_FAULT("fault-iv-after-32-bits", TailOnly, "a class of its own",
              "CBC: after a call of 2^32 bytes and more the chaining value is wrong");

struct Bits : Good {
  static constexpr const char* needs = "deep";
  static int update(Call c) {
    if (!c.is(AESGATE_CFB1) || c.n < two_to_the_32) return c.run();
    return c.m.update(c.in, c.out, c.n / 8);
  }
};
AESGATE_FAULT("fault-cfb1-bits-of-32-bits", Bits, "OpenSSL 5426", "CFB1: 2^32 bits and more are counted in bytes");

}  // namespace
}  // namespace aesgate::faults
