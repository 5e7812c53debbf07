#pragma once

#include <cstdint>

// The arithmetic behind the tables of vperm, all at compile time: FIPS-197's GF(2^8), and the same field as pairs over
// GF(2^4).

namespace aesgate::field {

/// FIPS-197 section 4.2.
constexpr unsigned multiply(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1, a = (a << 1 ^ (a >> 7) * 0x11b))
    if (b & 1) product ^= a;
  return product;
}
static_assert(multiply(0x57, 0x13) == 0xfe, "FIPS-197 section 4.2.1");

constexpr unsigned invert(unsigned a) {
  unsigned power = 1;
  for (unsigned i = 0; i < 254; ++i) power = multiply(power, a);
  return power;
}

/// FIPS-197 section 5.1.1 without the constant 63, and its inverse, section 5.3.2.
constexpr unsigned affine(unsigned a) {
  a |= a << 8;
  return (a ^ a >> 4 ^ a >> 5 ^ a >> 6 ^ a >> 7) & 0xff;
}
constexpr unsigned inverse_affine(unsigned a) {
  a |= a << 8;
  return (a >> 2 ^ a >> 5 ^ a >> 7) & 0xff;
}
static_assert(inverse_affine(affine(0xa7)) == 0xa7);

/// GF(2^4) modulo x^4 + x + 1.
constexpr unsigned multiply4(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1, a = (a << 1 ^ (a >> 3) * 0x13))
    if (b & 1) product ^= a;
  return product;
}
constexpr unsigned invert4(unsigned a) {
  const unsigned square = multiply4(a, a);
  const unsigned fourth = multiply4(square, square);
  return multiply4(multiply4(square, fourth), multiply4(fourth, fourth));  // a^14
}

/// Tower: GF(2^8) as k + i * theta over GF(2^4), where theta^2 + a * theta + a = 0; an element is i in the high four
/// bits and k in the low ones.
struct Tower {
  unsigned a;
  std::uint8_t to_byte[256];
  std::uint8_t from_byte[256];
};
constexpr Tower tower = [] {
  Tower t{};
  // x^2 + a x + a has no root in GF(2^4).
  for (t.a = 1;; ++t.a) {
    bool has_root = false;
    for (unsigned x = 0; x < 16; ++x) has_root |= (multiply4(x, x) ^ multiply4(t.a, x) ^ t.a) == 0;
    if (!has_root) break;
  }
  // A root of x^4 + x + 1 in GF(2^8) is where GF(2^4) lies in it.
  unsigned beta = 2;
  while ((multiply(multiply(beta, beta), multiply(beta, beta)) ^ beta ^ 1) != 0) ++beta;
  std::uint8_t embedded[16]{};
  for (unsigned x = 0; x < 16; ++x)
    for (unsigned bit = 0, power = 1; bit < 4; ++bit, power = multiply(power, beta))
      if (x >> bit & 1) embedded[x] = static_cast<std::uint8_t>(embedded[x] ^ power);
  unsigned theta = 2;
  while ((multiply(theta, theta) ^ multiply(embedded[t.a], theta) ^ embedded[t.a]) != 0) ++theta;
  for (unsigned element = 0; element < 256; ++element) {
    const unsigned byte = embedded[element & 15] ^ multiply(embedded[element >> 4], theta);
    t.to_byte[element] = static_cast<std::uint8_t>(byte);
    t.from_byte[byte] = static_cast<std::uint8_t>(element);
  }
  return t;
}();

}  // namespace aesgate::field
