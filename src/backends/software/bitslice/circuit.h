#pragma once

// SubBytes and InvSubBytes as Boolean circuits of gates with two inputs, over bit planes: q[b] holds bit b of many
// bytes, in a type V::Plane with ^ and &. No lookup, no branch: the time does not depend on the bytes.
//
// J. Boyar and R. Peralta, "A new combinational logic minimization technique with applications to cryptology" (SEA
// 2010), whose names these are: a linear layer that makes 22 sums y of the input bits, the inversion in GF((2^4)^2)
// that they share with its multiplications z, and a linear layer to the output. Their circuit for SubBytes has 115
// gates. The inverse has the same core between the two layers that the inverse affine transformation makes of them
// (FIPS-197 section 5.3.2), each shortened by a search: 120 gates.
//
// FIPS-197's constant 63 is left out: S(a) ^ 63, and the inverse of that. The round keys have it (key_schedule.h).

namespace aesgate {

template <typename V>
struct Circuit {
  using P = typename V::Plane;

  [[gnu::always_inline]] static void substitute(P (&s)[8]) {
    P y[22];
    P z[18];
    sums(s, y);
    invert(y, z);
    const P t46 = z[15] ^ z[16];
    const P t47 = z[10] ^ z[11];
    const P t48 = z[5] ^ z[13];
    const P t49 = z[9] ^ z[10];
    const P t50 = z[2] ^ z[12];
    const P t51 = z[2] ^ z[5];
    const P t52 = z[7] ^ z[8];
    const P t53 = z[0] ^ z[3];
    const P t54 = z[6] ^ z[7];
    const P t55 = z[16] ^ z[17];
    const P t56 = z[12] ^ t48;
    const P t57 = t50 ^ t53;
    const P t58 = z[4] ^ t46;
    const P t59 = z[3] ^ t54;
    const P t60 = t46 ^ t57;
    const P t61 = z[14] ^ t57;
    const P t62 = t52 ^ t58;
    const P t63 = t49 ^ t58;
    const P t64 = z[4] ^ t59;
    const P t65 = t61 ^ t62;
    const P t66 = z[1] ^ t63;
    s[7] = t59 ^ t63;
    s[1] = t56 ^ t62;
    s[0] = t48 ^ t60;
    const P t67 = t64 ^ t65;
    s[4] = t53 ^ t66;
    s[3] = t51 ^ t66;
    s[2] = t47 ^ t65;
    s[6] = t64 ^ s[4];
    s[5] = t55 ^ t67;
  }

  [[gnu::always_inline]] static void inverse_substitute(P (&s)[8]) {
    P y[22];
    P z[18];
    inverse_sums(s, y);
    invert(y, z);
    const P r0 = z[6] ^ z[15];
    const P r1 = z[13] ^ r0;
    const P r2 = z[12] ^ z[16];
    const P r3 = z[8] ^ r1;
    const P r4 = z[2] ^ z[10];
    const P r5 = z[1] ^ z[4];
    const P r6 = z[3] ^ r2;
    const P r7 = r4 ^ r5;
    const P r8 = z[9] ^ z[17];
    const P r9 = z[14] ^ r7;
    const P r10 = z[7] ^ r1;
    const P r11 = z[0] ^ r2;
    const P r12 = z[4] ^ r10;
    const P r13 = r3 ^ r11;
    const P r14 = r3 ^ r9;
    const P r15 = z[5] ^ r4;
    const P r16 = r8 ^ r14;
    const P r17 = z[17] ^ r12;
    const P r18 = z[0] ^ r17;
    const P r19 = z[11] ^ r6;
    const P r20 = z[12] ^ r18;
    const P r21 = z[8] ^ r9;
    const P r22 = z[15] ^ r8;
    const P r23 = z[5] ^ r5;
    s[1] = r6 ^ r12;
    const P r25 = z[5] ^ r3;
    const P r26 = r0 ^ r21;
    s[7] = r6 ^ r25;
    const P r28 = z[11] ^ r20;
    s[6] = z[3] ^ r16;
    s[2] = r13 ^ r23;
    s[5] = r19 ^ r26;
    s[3] = r15 ^ r28;
    s[4] = z[2] ^ r13;
    s[0] = z[11] ^ r22;
  }

 private:
  /// The sums of SubBytes.
  [[gnu::always_inline]] static void sums(const P (&q)[8], P (&y)[22]) {
    y[14] = q[4] ^ q[2];
    y[13] = q[7] ^ q[1];
    y[9] = q[7] ^ q[4];
    y[8] = q[7] ^ q[2];
    const P t0 = q[6] ^ q[5];
    y[1] = t0 ^ q[0];
    y[4] = y[1] ^ q[4];
    y[12] = y[13] ^ y[14];
    y[2] = y[1] ^ q[7];
    y[5] = y[1] ^ q[1];
    y[3] = y[5] ^ y[8];
    const P t1 = q[3] ^ y[12];
    y[15] = t1 ^ q[2];
    y[20] = t1 ^ q[6];
    y[6] = y[15] ^ q[0];
    y[10] = y[15] ^ t0;
    y[11] = y[20] ^ y[9];
    y[7] = q[0] ^ y[11];
    y[17] = y[10] ^ y[11];
    y[19] = y[10] ^ y[8];
    y[16] = t0 ^ y[11];
    y[21] = y[13] ^ y[16];
    y[18] = q[7] ^ y[16];
    y[0] = q[0];
  }

  /// The sums of InvSubBytes.
  [[gnu::always_inline]] static void inverse_sums(const P (&q)[8], P (&y)[22]) {
    y[3] = q[4] ^ q[7];
    y[5] = q[4] ^ q[6];
    y[6] = q[6] ^ y[3];
    y[8] = q[4] ^ y[6];
    y[9] = q[3] ^ q[4];
    y[1] = q[0] ^ y[9];
    y[10] = y[6] ^ y[1];
    y[13] = q[1] ^ y[1];
    y[2] = y[5] ^ y[13];
    y[4] = y[9] ^ y[2];
    y[7] = q[5] ^ y[4];
    y[12] = y[3] ^ y[4];
    y[14] = q[3] ^ y[6];
    y[16] = y[1] ^ y[7];
    y[18] = q[5] ^ y[9];
    y[19] = q[0] ^ q[3];
    y[21] = q[1] ^ y[7];
    const P p17 = q[2] ^ q[7];
    y[0] = q[5] ^ p17;
    y[11] = y[4] ^ p17;
    y[15] = y[6] ^ y[0];
    y[17] = y[10] ^ y[11];
    y[20] = y[9] ^ y[11];
  }

  /// The inversion: its products with the sums.
  [[gnu::always_inline]] static void invert(const P (&y)[22], P (&z)[18]) {
    const P t2 = y[12] & y[15];
    const P t3 = y[3] & y[6];
    const P t4 = t3 ^ t2;
    const P t5 = y[4] & y[0];
    const P t6 = t5 ^ t2;
    const P t7 = y[13] & y[16];
    const P t8 = y[5] & y[1];
    const P t9 = t8 ^ t7;
    const P t10 = y[2] & y[7];
    const P t11 = t10 ^ t7;
    const P t12 = y[9] & y[11];
    const P t13 = y[14] & y[17];
    const P t14 = t13 ^ t12;
    const P t15 = y[8] & y[10];
    const P t16 = t15 ^ t12;
    const P t17 = t4 ^ t14;
    const P t18 = t6 ^ t16;
    const P t19 = t9 ^ t14;
    const P t20 = t11 ^ t16;
    const P t21 = t17 ^ y[20];
    const P t22 = t18 ^ y[19];
    const P t23 = t19 ^ y[21];
    const P t24 = t20 ^ y[18];
    const P t25 = t21 ^ t22;
    const P t26 = t21 & t23;
    const P t27 = t24 ^ t26;
    const P t28 = t25 & t27;
    const P t29 = t28 ^ t22;
    const P t30 = t23 ^ t24;
    const P t31 = t22 ^ t26;
    const P t32 = t31 & t30;
    const P t33 = t32 ^ t24;
    const P t34 = t23 ^ t33;
    const P t35 = t27 ^ t33;
    const P t36 = t24 & t35;
    const P t37 = t36 ^ t34;
    const P t38 = t27 ^ t36;
    const P t39 = t29 & t38;
    const P t40 = t25 ^ t39;
    const P t41 = t40 ^ t37;
    const P t42 = t29 ^ t33;
    const P t43 = t29 ^ t40;
    const P t44 = t33 ^ t37;
    const P t45 = t42 ^ t41;
    z[0] = t44 & y[15];
    z[1] = t37 & y[6];
    z[2] = t33 & y[0];
    z[3] = t43 & y[16];
    z[4] = t40 & y[1];
    z[5] = t29 & y[7];
    z[6] = t42 & y[11];
    z[7] = t45 & y[17];
    z[8] = t41 & y[10];
    z[9] = t44 & y[12];
    z[10] = t37 & y[3];
    z[11] = t33 & y[4];
    z[12] = t43 & y[13];
    z[13] = t40 & y[5];
    z[14] = t29 & y[2];
    z[15] = t42 & y[9];
    z[16] = t45 & y[14];
    z[17] = t41 & y[8];
  }
};

}  // namespace aesgate
