#pragma once

// The circuits of circuit.h over gates with three inputs, which VPTERNLOG is: 78 for SubBytes, 80 for InvSubBytes.
// V::Plane is a vector with ^, & and ~, and V::gate<table>(a, b, c) is bit 4 * a + 2 * b + c of `table`.
//
// The sums y and what lies between them are those of Boyar and Peralta. The inversion in GF(2^4), u from t, has twelve
// gates of depth four, found by an exhaustive search; the linear layers and the products were covered by a technology
// mapper (berkeley-abc, k = 3). What says that they are right is circuit_test.cpp: all 256 bytes.

namespace aesgate {

template <typename V>
struct TernaryCircuit {
  using P = typename V::Plane;

  [[gnu::always_inline]] static void substitute(P (&s)[8]) {
    P y[18];
    P t[4];
    P u[9];
    sums(s, y, t);
    invert(t, u);
    const P n0 = y[9] & u[5];
    const P n1 = y[11] & u[5];
    const P n2 = y[17] & u[8];
    const P n3 = y[12] & u[7];
    const P n4 = and_xor(y[6], u[2], n3);
    const P n5 = y[0] & u[1];
    const P n6 = y[13] & u[6];
    const P n7 = and_xor(y[7], u[0], n5);
    const P n8 = and_xor(y[14], u[8], n0);
    const P n9 = n1 ^ n2;
    const P n10 = and_xor(y[15], u[7], n4);
    const P n11 = and_xor(y[15], u[7], n5);
    const P n12 = and_xor(y[10], u[4], n6);
    const P n13 = and_xor(y[5], u[3], n8);
    const P n14 = and_xor(y[1], u[3], n12);
    const P n15 = and_xor(y[16], u[6], n11);
    const P n16 = and_xor(y[3], u[2], n8);
    s[6] = xor3(n16, n10, n9);
    const P n17 = and_xor(y[2], u[0], n11);
    const P n18 = and_xor(y[7], u[0], n13);
    s[0] = xor3(n18, n15, n6);
    const P n19 = and_xor(y[1], u[3], n16);
    const P n20 = n17 ^ n12;
    s[3] = xor3(n19, n4, n7);
    const P n21 = and_xor(y[4], u[1], n20);
    s[1] = xor3(n18, n14, n2);
    const P n22 = and_xor(y[16], u[6], n19);
    const P n23 = and_xor(y[8], u[4], n20);
    s[4] = n22 ^ n10;
    s[2] = xor3(n22, n21, n2);
    s[7] = xor3(n22, n9, n3);
    s[5] = xor3(n23, n1, n0);
  }

  [[gnu::always_inline]] static void inverse_substitute(P (&s)[8]) {
    P y[18];
    P t[4];
    P u[9];
    inverse_sums(s, y, t);
    invert(t, u);
    const P n0 = y[8] & u[4];
    const P n1 = gate<0x28>(y[9], y[11], u[5]);
    const P n2 = y[16] & u[6];
    const P n3 = y[1] & u[3];
    const P n4 = y[14] & u[8];
    const P n5 = and_xor(y[10], u[4], n4);
    const P n6 = and_xor(y[6], u[2], n3);
    const P n7 = y[0] & u[1];
    const P n8 = and_xor(y[4], u[1], n1);
    const P n9 = and_xor(y[12], u[7], n0);
    const P n10 = and_xor(y[4], u[1], n0);
    const P n11 = and_xor(y[5], u[3], n1);
    const P n12 = and_xor(y[17], u[8], n3);
    const P n13 = and_xor(y[7], u[0], n5);
    const P n14 = and_xor(y[3], u[2], n7);
    const P n15 = and_xor(y[7], u[0], n12);
    const P n16 = xor3(n6, n14, n2);
    const P n17 = and_xor(y[9], u[5], n10);
    const P n18 = and_xor(y[13], u[6], n11);
    const P n19 = and_xor(y[15], u[7], n18);
    const P n20 = xor3(n19, n10, n14);
    s[4] = xor3(n19, n5, n7);
    const P n21 = and_xor(y[2], u[0], n16);
    const P n22 = and_xor(y[10], u[4], n21);
    s[0] = and_xor(y[12], u[7], n17);
    const P n23 = n18 ^ n2;
    s[2] = xor3(n19, n13, n6);
    s[3] = n20 ^ n15;
    const P n24 = xor3(n21, n5, n8);
    s[6] = xor3(n22, n11, n9);
    s[7] = n23 ^ n13;
    s[1] = xor3(n23, n12, n4);
    s[5] = and_xor(y[13], u[6], n24);
  }

 private:
  template <int table>
  [[gnu::always_inline]] static P gate(P a, P b, P c) {
    return V::template gate<table>(a, b, c);
  }

  [[gnu::always_inline]] static P xor3(P a, P b, P c) { return gate<0x96>(a, b, c); }

  /// a & b ^ c
  [[gnu::always_inline]] static P and_xor(P a, P b, P c) { return gate<0x6a>(a, b, c); }

  /// The sums of SubBytes, and the element t of GF(2^4) that is to be inverted.
  [[gnu::always_inline]] static void sums(const P (&q)[8], P (&y)[18], P (&t)[4]) {
    y[1] = xor3(q[0], q[5], q[6]);
    y[2] = y[1] ^ q[7];
    y[13] = q[1] ^ q[7];
    y[14] = q[2] ^ q[4];
    y[4] = y[1] ^ q[4];
    y[5] = y[1] ^ q[1];
    y[9] = q[4] ^ q[7];
    y[8] = q[2] ^ q[7];
    y[12] = y[13] ^ y[14];
    y[15] = xor3(y[12], q[2], q[3]);
    const P n0 = xor3(y[12], q[3], q[6]);
    y[10] = xor3(y[15], q[5], q[6]);
    const P n1 = y[9] & ~n0;
    const P n2 = y[15] & y[12];
    const P n3 = and_xor(y[4], q[0], n2);
    const P n4 = and_xor(y[10], y[8], n1);
    const P n5 = y[10] ^ y[8];
    y[3] = y[12] ^ y[4];
    y[6] = y[15] ^ q[0];
    y[11] = n0 ^ y[9];
    y[16] = xor3(y[11], q[5], q[6]);
    y[17] = y[16] ^ y[15];
    const P n6 = and_xor(y[17], y[14], n1);
    const P n7 = and_xor(y[6], y[3], n2);
    t[1] = xor3(n3, n4, n5);
    const P n8 = y[16] & y[13];
    const P n9 = xor3(y[16], q[1], q[7]);
    y[7] = y[11] ^ q[0];
    t[0] = xor3(n6, n7, n0);
    const P n10 = gate<0xa6>(q[1], y[1], n8);
    const P n11 = y[7] & y[2];
    t[2] = xor3(n6, n10, n9);
    const P n12 = xor3(n8, n11, n4);
    t[3] = xor3(n12, y[16], q[7]);
    y[0] = q[0];
  }

  /// The sums of InvSubBytes.
  [[gnu::always_inline]] static void inverse_sums(const P (&q)[8], P (&y)[18], P (&t)[4]) {
    y[0] = xor3(q[2], q[5], q[7]);
    y[9] = q[3] ^ q[4];
    y[5] = q[4] ^ q[6];
    y[3] = q[4] ^ q[7];
    y[6] = y[3] ^ q[6];
    y[8] = y[6] ^ q[4];
    y[14] = y[6] ^ q[3];
    y[15] = y[6] ^ y[0];
    const P n0 = y[3] & ~q[6];
    const P n1 = q[0] ^ q[3];
    const P n2 = y[9] ^ q[5];
    y[1] = y[9] ^ q[0];
    y[13] = y[1] ^ q[1];
    y[10] = y[1] ^ y[6];
    const P n3 = y[1] & y[5];
    y[2] = y[13] ^ y[5];
    y[4] = y[2] ^ y[9];
    y[7] = y[4] ^ q[5];
    y[11] = xor3(y[4], q[2], q[7]);
    y[12] = y[4] ^ y[3];
    y[16] = y[7] ^ y[1];
    y[17] = y[11] ^ y[10];
    const P n4 = y[11] & y[9];
    const P n5 = y[12] & y[15];
    const P n6 = and_xor(y[4], y[0], n5);
    const P n7 = and_xor(y[8], y[10], n4);
    const P n8 = y[16] & y[13];
    const P n9 = and_xor(y[7], y[2], n8);
    const P n10 = and_xor(y[17], y[14], n4);
    t[1] = xor3(n6, n7, n1);
    const P n11 = xor3(n10, n8, n3);
    t[3] = xor3(n9, n7, n2);
    const P n12 = xor3(n10, n5, n0);
    t[2] = xor3(n11, y[7], q[1]);
    t[0] = xor3(n12, y[11], y[9]);
  }

  /// u: the four bits of the inverse of t, and the five sums of them that the products need.
  [[gnu::always_inline]] static void invert(const P (&t)[4], P (&u)[9]) {
    const P n0 = gate<0xea>(t[1], t[2], t[3]);
    const P n1 = gate<0x56>(t[1], t[2], t[3]);
    const P n2 = gate<0xbc>(t[0], t[2], n0);
    u[0] = gate<0xe8>(t[0], t[1], n1);
    u[2] = gate<0xa6>(t[0], t[2], n0);
    u[1] = and_xor(n1, u[2], t[2]);
    u[7] = gate<0xd2>(t[2], n1, u[2]);
    u[8] = gate<0x2a>(t[1], t[3], n2);
    u[3] = xor3(u[0], u[7], u[8]);
    u[4] = xor3(u[0], u[1], u[8]);
    u[5] = u[0] ^ u[1];
    u[6] = gate<0x64>(t[0], u[7], u[8]);
  }
};

}  // namespace aesgate
