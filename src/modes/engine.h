#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

// An Engine is what a backend brings: AES as its unit does it. The modes of this folder are templates over it,
// written once. This header is the contract between the two; src/DESIGN.md says why it looks as it does.
//
// Every name below that an ISA file may use is a template: its instances have internal linkage when the Engine is in
// an unnamed namespace, as backends/register.h demands.
//
// An Engine is a struct without state:
//
//     template <unsigned Rounds> struct Keys;     the round keys, in any form; trivial; Rounds is 10, 12 or 14.
//     template <unsigned Rounds> static void expand_encrypt(Keys<Rounds>&, const uint8_t* key);
//     template <unsigned Rounds> static void expand_decrypt(Keys<Rounds>&, const uint8_t* key);
//                                                 for the cipher and for the inverse cipher, each in its order of use.
//     using Single = …;                           the Width of the serial modes, and of calls of one block: one
//                                                 lane, and `smallest` is 1.
//     using Widest = …;                           the Width with which the parallel modes begin.
//
// A Width is a struct without state, too: some vectors, each of one or more blocks, which the unit works on together.
//
//     using Vector = …;                           `lanes` blocks. Copied freely.
//     using Narrower = …;                         the Width for what is left over; void in the one with one lane.
//     static constexpr unsigned lanes;            a power of two, at most 8.
//     static constexpr unsigned in_flight;        how many vectors fill the unit; at least `smallest`.
//     static constexpr unsigned smallest;         the fewest that encrypt() takes: 1; or a greater power of two for an
//                                                 engine, such as a bit-sliced one, that always works on so many. Then
//                                                 the vectors without a block in a message's last step are zero.
//
//     static Vector load(const uint8_t* p);       the 16 * lanes bytes at p, of any alignment.
//     static Vector load_after(const uint8_t* before, const uint8_t* p);
//                                                 the 16 bytes at `before`, then those at p in the lanes that follow:
//                                                 each block's predecessor. May read all 16 * lanes bytes at p.
//     static Vector load_windows(const uint8_t* p);
//                                                 lane i: the 16 bytes at p + i.
//     static void store(uint8_t* p, Vector x);
//     static Vector exclusive_or(Vector a, Vector b);
//     static Vector first_key(const Keys<Rounds>&);   the first round key in order of use, in every lane; and
//     static Vector last_key(const Keys<Rounds>&);    the last one.
//
//     template <unsigned N, unsigned Rounds, typename Operand>
//     static void encrypt(const Keys<Rounds>&, Vector (&x)[N], Operand operand);      and decrypt(), the inverse.
//                                                 All that lies between the two outer AddRoundKeys: x comes in with
//                                                 first_key() added, and leaves as LastRound(…) ^ operand(i), where the
//                                                 mode's operand holds last_key() and whatever else it wants to add.
//                                                 operand(i) is for vector i, called once, when the engine needs it.
//
// That is how a mode's XOR costs nothing: AESENCLAST and vcipherlast add their operand after the last SubBytes and
// ShiftRows, so the mode folds it in there. Where AES adds before SubBytes (ARM's AESE), Single::Vector is a pair
// (value, not yet added): operand(i) is kept and added by the next block's first AESE. Software adds it at the end.
//
// A Single has one lane, and for the modes with a shift register also:
//
//     static Vector from_byte(uint8_t b);         b, then 15 bytes of zero.
//     static uint8_t to_byte(Vector x);           the first byte.
//     static Vector append_byte(Vector r, Vector t);  bytes 1 to 15 of r, then byte 0 of t.
//     static Vector append_bit(Vector r, Vector t);   bits 1 to 127 of r, then bit 0 of t, the most significant one.
//                                                 In all four only t, or b, is on the chain from one block to the next.
//
// modes/portable_shifts.h has the shifting ones for any Width, bytewise.

namespace aesgate {

/// f(0), …, f(N - 1), unrolled whatever the optimiser thinks of it: vectors in an array that a loop indexes would
/// live in memory.
template <unsigned N, typename Function>
[[gnu::always_inline]] inline void each(Function&& f) {
  [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) __attribute__((always_inline)) { (f(I), ...); }
  (std::make_integer_sequence<unsigned, N>{});
}

/// The part of a context that every mode has; the round keys follow it. `alignas` so that they are aligned for any
/// vector.
struct alignas(64) ContextHead {
  /// CBC, CFB128: the block before; CFB1, CFB8: the shift register; OFB: the last keystream block; in all of them with
  /// `whitening` added. In the middle of a CFB128 block it is ciphertext, then keystream, with nothing added.
  alignas(16) std::uint8_t chain[16];

  /// The first round key in the modes that are serial, zero in the others. So what a call leaves in `chain` is the next
  /// call's first state, and no XOR stands between two calls of one block.
  alignas(16) std::uint8_t whitening[16];

  std::uint32_t used;  // bytes of a CFB128 or OFB block that are done: 0 to 15
  std::uint32_t mode;  // enum aesgate_mode
  std::size_t size;    // of the context
};

/// A block that ended where it began in the middle: its ciphertext or keystream becomes what `chain` holds between
/// blocks.
template <typename Engine>
[[gnu::always_inline]] inline void whiten_chain(ContextHead& head) {
  for (unsigned i = 0; i < 16; ++i) head.chain[i] ^= head.whitening[i];
}

/// A context of an update function: what adapter.cpp lays out.
template <typename Keys>
struct Context {
  ContextHead head;
  Keys keys;
};

}  // namespace aesgate
