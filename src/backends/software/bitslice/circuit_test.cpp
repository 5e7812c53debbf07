// The circuits against FIPS-197's tables: all 256 bytes; and how many gates they have.

#include "backends/software/bitslice/circuit.h"

#include <array>

#include <gtest/gtest.h>

#include "backends/software/bitslice/circuit_ternary.h"
#include "oracle/fips197.h"

namespace aesgate {
namespace {

unsigned gates = 0;

/// A plane of the bit that a circuit's wire has for each of 256 bytes; every operation counts as a gate.
struct Wire {
  std::array<std::uint64_t, 4> bits{};
};
template <typename Gate>
Wire apply(Gate gate) {
  ++gates;
  Wire out;
  for (std::size_t i = 0; i < out.bits.size(); ++i) out.bits[i] = gate(i);
  return out;
}
Wire operator^(const Wire& a, const Wire& b) {
  return apply([&](std::size_t i) { return a.bits[i] ^ b.bits[i]; });
}
Wire operator&(const Wire& a, const Wire& b) {
  return apply([&](std::size_t i) { return a.bits[i] & b.bits[i]; });
}
/// ~a & b is one instruction: the complement is no gate.
Wire operator~(const Wire& a) {
  Wire out;
  for (std::size_t i = 0; i < out.bits.size(); ++i) out.bits[i] = ~a.bits[i];
  return out;
}

struct Planes {
  using Plane = Wire;

  template <int table>
  static Wire gate(const Wire& a, const Wire& b, const Wire& c) {
    return apply([&](std::size_t i) {
      std::uint64_t sum = 0;
      for (int row = 0; row < 8; ++row)
        if ((table >> row & 1) != 0)
          sum |= (row & 4 ? a.bits[i] : ~a.bits[i]) & (row & 2 ? b.bits[i] : ~b.bits[i]) &
                 (row & 1 ? c.bits[i] : ~c.bits[i]);
      return sum;
    });
  }
};

/// What a circuit makes of each byte, and the gates that it took.
template <typename Substitute>
std::array<unsigned, 256> table_of(Substitute substitute) {
  Wire q[8];
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0; bit < 8; ++bit)
      q[bit].bits[byte / 64] |= static_cast<std::uint64_t>(byte >> bit & 1) << byte % 64;
  gates = 0;
  substitute(q);
  std::array<unsigned, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0; bit < 8; ++bit)
      table[byte] |= static_cast<unsigned>(q[bit].bits[byte / 64] >> byte % 64 & 1) << bit;
  return table;
}

template <typename Circuit>
void expect_sub_bytes(unsigned expected_gates) {
  const auto table = table_of([](Wire(&q)[8]) { Circuit::substitute(q); });
  for (unsigned byte = 0; byte < 256; ++byte) EXPECT_EQ(table[byte] ^ 0x63, fips197::SBox()[byte]) << byte;
  EXPECT_EQ(gates, expected_gates);
}

template <typename Circuit>
void expect_inverse_sub_bytes(unsigned expected_gates) {
  const auto table = table_of([](Wire(&q)[8]) { Circuit::inverse_substitute(q); });
  for (unsigned byte = 0; byte < 256; ++byte) EXPECT_EQ(table[byte], fips197::InvSBox()[byte ^ 0x63]) << byte;
  EXPECT_EQ(gates, expected_gates);
}

TEST(circuit, sub_bytes) { expect_sub_bytes<Circuit<Planes>>(115); }
TEST(circuit, inverse_sub_bytes) { expect_inverse_sub_bytes<Circuit<Planes>>(120); }
TEST(circuit, sub_bytes_of_three_inputs) { expect_sub_bytes<TernaryCircuit<Planes>>(78); }
TEST(circuit, inverse_sub_bytes_of_three_inputs) { expect_inverse_sub_bytes<TernaryCircuit<Planes>>(80); }

}  // namespace
}  // namespace aesgate
