// The bit-sliced cipher on words of 64 bits, for any CPU: four blocks at a time, whose sixteen bytes are the sixteen
// fields of four bits of a word: rows from low to high, and in each its columns.

#include "backends/adapter.h"
#include "backends/software/bitslice/engine.h"
#include "modes/portable_shifts.h"

namespace aesgate {
namespace {

using Word = std::uint64_t;

/// A block's columns, the first row in the lowest byte.
struct Columns {
  std::uint32_t w[4];
};

struct Planes {
  using Plane = Word;
  struct RoundKey {
    Word plane[8];
  };
  using Circuit = aesgate::Circuit<Planes>;

  static constexpr unsigned blocks = 4;

  [[gnu::always_inline]] static Word key(const RoundKey& key, unsigned bit) { return key.plane[bit]; }
  [[gnu::always_inline]] static Word xor3(Word a, Word b, Word c) { return a ^ b ^ c; }

  /// A row has 16 bits, a column's field in it 4.
  template <unsigned rows, unsigned columns>
  [[gnu::always_inline]] static Word move(Word x) {
    if constexpr (rows != 0) x = x >> 16 * rows | x << (64 - 16 * rows);
    if constexpr (columns != 0) {
      constexpr Word low = 0x0001000100010001u * (0xffffu >> 4 * columns);
      x = (x >> 4 * columns & low) | (x << (16 - 4 * columns) & ~low);
    }
    return x;
  }

  /// Exchanges the columns of rows 1 and 3 two by two: what two ShiftRows are.
  [[gnu::always_inline]] static Word shift_twice(Word x) {
    constexpr Word odd_rows = 0xffff0000ffff0000u;
    return (move<0, 2>(x) & odd_rows) | (x & ~odd_rows);
  }

  [[gnu::always_inline]] static void slice(Word (&q)[8], const Columns (&x)[blocks]) {
    each<blocks>([&](unsigned i) __attribute__((always_inline)) {
      q[i] = spread(x[i].w[0]) | spread(x[i].w[2]) << 8;
      q[4 + i] = spread(x[i].w[1]) | spread(x[i].w[3]) << 8;
    });
    transpose(q);
  }

  [[gnu::always_inline]] static void unslice(Word (&q)[8], Columns (&x)[blocks]) {
    transpose(q);
    each<blocks>([&](unsigned i) __attribute__((always_inline)) {
      x[i] = {{gather(q[i]), gather(q[4 + i]), gather(q[i] >> 8), gather(q[4 + i] >> 8)}};
    });
  }

  static void make_key(RoundKey& key, const std::uint8_t* block);

 private:
  /// Bytes 0 to 3 to bytes 0, 2, 4 and 6.
  [[gnu::always_inline]] static Word spread(std::uint32_t w) {
    const Word x = (w | static_cast<Word>(w) << 16) & 0x0000ffff0000ffffu;
    return (x | x << 8) & 0x00ff00ff00ff00ffu;
  }
  static std::uint32_t gather(Word w) {
    w &= 0x00ff00ff00ff00ffu;
    w = (w | w >> 8) & 0x0000ffff0000ffffu;
    return static_cast<std::uint32_t>(w | w >> 16);
  }

  /// Bit i of byte k of word b becomes bit b of byte k of word i.
  [[gnu::always_inline]] static void transpose(Word (&q)[8]) {
    each<4>([&](unsigned i)
                __attribute__((always_inline)) { exchange<1, 0x5555555555555555u>(q[2 * i], q[2 * i + 1]); });
    each<4>([&](unsigned i) __attribute__((always_inline)) {
      exchange<2, 0x3333333333333333u>(q[i / 2 * 4 + i % 2], q[i / 2 * 4 + i % 2 + 2]);
    });
    each<4>([&](unsigned i) __attribute__((always_inline)) { exchange<4, 0x0f0f0f0f0f0f0f0fu>(q[i], q[i + 4]); });
  }
  template <unsigned distance, Word low>
  [[gnu::always_inline]] static void exchange(Word& a, Word& b) {
    const Word changed = (a >> distance ^ b) & low;
    b ^= changed;
    a ^= changed << distance;
  }
};

Columns load_columns(const std::uint8_t* p) {
  Columns x;
  for (unsigned i = 0; i < 4; ++i)
    x.w[i] = static_cast<std::uint32_t>(p[4 * i]) | static_cast<std::uint32_t>(p[4 * i + 1]) << 8 |
             static_cast<std::uint32_t>(p[4 * i + 2]) << 16 | static_cast<std::uint32_t>(p[4 * i + 3]) << 24;
  return x;
}

void Planes::make_key(RoundKey& key, const std::uint8_t* block) {
  const Columns x = load_columns(block);
  slice(key.plane, {x, x, x, x});
}

/// One to four blocks between the outer AddRoundKeys.
template <bool Inverse>
[[gnu::noinline]] void crypt(const Planes::RoundKey* keys, unsigned rounds, Columns (&x)[Planes::blocks]) {
  Word q[1][8];
  Planes::slice(q[0], x);
  all_rounds<Planes, Inverse>(q, keys, rounds);
  if (rounds % 4 != 0)
    for (Word& plane : q[0]) plane = Planes::shift_twice(plane);
  Planes::unslice(q[0], x);
}

/// Blocks: always four in the planes, of which `Count` are used at least.
template <unsigned Count>
struct Blocks : PortableShifts<Blocks<Count>, Columns> {
  using Vector = Columns;
  using Narrower = void;
  static constexpr unsigned lanes = 1;
  static constexpr unsigned in_flight = Count;
  static constexpr unsigned smallest = Count;

  static Columns load(const std::uint8_t* p) { return load_columns(p); }
  [[gnu::always_inline]] static void store(std::uint8_t* p, const Columns& x) {
    for (unsigned i = 0; i < 16; ++i) p[i] = static_cast<std::uint8_t>(x.w[i / 4] >> i % 4 * 8);
  }
  static Columns exclusive_or(const Columns& a, const Columns& b) {
    return {{a.w[0] ^ b.w[0], a.w[1] ^ b.w[1], a.w[2] ^ b.w[2], a.w[3] ^ b.w[3]}};
  }

  template <unsigned Rounds>
  static Columns first_key(const SlicedKeys<Planes, Rounds>& keys) {
    return load(keys.first);
  }
  template <unsigned Rounds>
  static Columns last_key(const SlicedKeys<Planes, Rounds>& keys) {
    return load(keys.last);
  }

  template <unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void encrypt(const SlicedKeys<Planes, Rounds>& keys, Columns (&x)[N], Operand operand) {
    run<false>(keys, x, operand);
  }
  template <unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void decrypt(const SlicedKeys<Planes, Rounds>& keys, Columns (&x)[N], Operand operand) {
    run<true>(keys, x, operand);
  }

 private:
  template <bool Inverse, unsigned N, unsigned Rounds, typename Operand>
  [[gnu::always_inline]] static void run(const SlicedKeys<Planes, Rounds>& keys, Columns (&x)[N], Operand operand) {
    Columns all[Planes::blocks] = {};
    each<N>([&](unsigned i) { all[i] = x[i]; });
    crypt<Inverse>(keys.middle, Rounds, all);
    each<N>([&](unsigned i) { x[i] = exclusive_or(all[i], operand(i)); });
  }
};

struct Engine : SlicedSchedule<Planes> {
  static constexpr unsigned rank = 1;

  template <unsigned Rounds>
  using Keys = SlicedKeys<Planes, Rounds>;
  using Single = Blocks<1>;
  using Widest = Blocks<Planes::blocks>;
};

constexpr aesgate_backend form =
    adapt<Engine>("bitslice-portable", "software", "none", "bit-sliced over 64-bit words, four blocks at a time");
AESGATE_REGISTER_FORM(form);

}  // namespace
}  // namespace aesgate
