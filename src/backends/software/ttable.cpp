// AES with four tables of 32-bit words a direction (Daemen and Rijmen, "The Design of Rijndael", section 4.2): one
// lookup is SubBytes, ShiftRows and MixColumns of one byte. The lookups depend on secrets, so its time does.

#include "backends/adapter.h"
#include "modes/portable_shifts.h"

namespace aesgate {
namespace {

using Word = std::uint32_t;  // a column of the state, its first row in the lowest byte

constexpr unsigned twice(unsigned a) { return (a << 1 ^ (a >> 7) * 0x11b) & 0xff; }
constexpr Word column(unsigned r0, unsigned r1, unsigned r2, unsigned r3) { return r0 | r1 << 8 | r2 << 16 | r3 << 24; }
constexpr Word turn(Word w, unsigned rows) { return rows == 0 ? w : w << 8 * rows | w >> (32 - 8 * rows); }
constexpr unsigned row(Word w, unsigned r) { return w >> 8 * r & 0xff; }

/// Tables: one direction. mixed[r] is for a byte that stands in row r.
struct Tables {
  Word mixed[4][256];
  std::uint8_t box[256];
};

/// The S-box from powers of the generator 03 (FIPS-197 section 5.1.1): log a + log 1/a = 255.
struct Boxes {
  std::uint8_t forward[256];
  std::uint8_t inverse[256];
};
constexpr Boxes make_boxes() {
  std::uint8_t power[256]{};
  for (unsigned i = 0, a = 1; i < 256; ++i, a ^= twice(a)) power[i] = static_cast<std::uint8_t>(a);
  Boxes boxes{};
  for (unsigned i = 0; i < 256; ++i) {
    const unsigned a = i == 255 ? 0 : power[i];
    const unsigned b = i == 255 ? 0 : power[255 - i] * 0x101u;
    const auto s = static_cast<std::uint8_t>(b ^ b >> 4 ^ b >> 5 ^ b >> 6 ^ b >> 7 ^ 0x63);
    boxes.forward[a] = s;
    boxes.inverse[s] = static_cast<std::uint8_t>(a);
  }
  return boxes;
}
constexpr Boxes boxes = make_boxes();

constexpr Tables make_tables(bool inverse) {
  Tables tables{};
  for (unsigned a = 0; a < 256; ++a) {
    const unsigned s = inverse ? boxes.inverse[a] : boxes.forward[a];
    const unsigned s2 = twice(s);
    const unsigned s4 = twice(s2);
    const unsigned s8 = twice(s4);
    const Word mixed = inverse ? column(s8 ^ s4 ^ s2, s8 ^ s, s8 ^ s4 ^ s, s8 ^ s2 ^ s) : column(s2, s, s, s2 ^ s);
    for (unsigned r = 0; r < 4; ++r) tables.mixed[r][a] = turn(mixed, r);
    tables.box[a] = static_cast<std::uint8_t>(s);
  }
  return tables;
}
constexpr Tables forward = make_tables(false);
constexpr Tables inverse = make_tables(true);

static_assert(forward.box[0x53] == 0xed && inverse.box[0xed] == 0x53, "FIPS-197 section 5.1.1, figures 7 and 14");
static_assert(forward.mixed[0][0x00] == 0xa56363c6 && forward.mixed[3][0x53] == 0xc12ceded);
static_assert(inverse.mixed[0][0x63] == 0 && inverse.mixed[0][0x00] == 0x50a7f451);

struct Columns {
  Word w[4];
};

template <unsigned Rounds>
struct RoundKeys {
  Columns round[Rounds + 1];
};

/// The column of row bytes from four columns: where ShiftRows takes row r from, as columns to the right. To the left
/// is three times to the right.
template <unsigned Step>
constexpr unsigned from(unsigned column, unsigned r) {
  return (column + Step * r) % 4;
}

template <unsigned Step>
[[gnu::always_inline]] inline Columns mixed_round(const Tables& t, const Columns& x, const Columns& key) {
  Columns y;
  each<4>([&](unsigned c) __attribute__((always_inline)) {
    y.w[c] = t.mixed[0][row(x.w[from<Step>(c, 0)], 0)] ^ t.mixed[1][row(x.w[from<Step>(c, 1)], 1)] ^
             t.mixed[2][row(x.w[from<Step>(c, 2)], 2)] ^ t.mixed[3][row(x.w[from<Step>(c, 3)], 3)] ^ key.w[c];
  });
  return y;
}

template <unsigned Step>
[[gnu::always_inline]] inline Columns last_round(const Tables& t, const Columns& x, const Columns& operand) {
  Columns y;
  each<4>([&](unsigned c) __attribute__((always_inline)) {
    y.w[c] = column(t.box[row(x.w[from<Step>(c, 0)], 0)], t.box[row(x.w[from<Step>(c, 1)], 1)],
                    t.box[row(x.w[from<Step>(c, 2)], 2)], t.box[row(x.w[from<Step>(c, 3)], 3)]) ^
             operand.w[c];
  });
  return y;
}

/// All rounds up to the last.
template <unsigned Step, unsigned Rounds>
[[gnu::always_inline]] inline Columns middle_rounds(const Tables& t, const RoundKeys<Rounds>& keys, Columns x) {
  for (unsigned round = 1; round < Rounds; ++round) x = mixed_round<Step>(t, x, keys.round[round]);
  return x;
}

Word substitute(Word w) {
  return column(forward.box[row(w, 0)], forward.box[row(w, 1)], forward.box[row(w, 2)], forward.box[row(w, 3)]);
}

/// Texts are read and written by words: byte by byte, gcc 12 took 10 to 12 cycles a byte of text on Zen 5 and clang 14 9.2
/// to 10, where both take 8.0 to 8.9 so (ECB, and decryption in CBC and CFB128).
Word little_endian(Word w) { return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(w) : w; }

Word load_word(const std::uint8_t* p) {
  Word w;
  __builtin_memcpy(&w, p, sizeof w);
  return little_endian(w);
}

void store_word(std::uint8_t* p, Word w) {
  w = little_endian(w);
  __builtin_memcpy(p, &w, sizeof w);
}

/// FIPS-197 section 5.2, with Nk = Rounds - 6.
template <unsigned Rounds>
void expand(RoundKeys<Rounds>& keys, const std::uint8_t* key) {
  constexpr unsigned key_words = Rounds - 6;
  const auto w = [&keys](unsigned i) -> Word& { return keys.round[i / 4].w[i % 4]; };
  for (unsigned i = 0; i < key_words; ++i) w(i) = load_word(key + 4 * i);
  unsigned rcon = 1;
  for (unsigned i = key_words; i < 4 * (Rounds + 1); ++i) {
    Word temp = w(i - 1);
    if (i % key_words == 0) {
      temp = substitute(turn(temp, 3)) ^ rcon;
      rcon = twice(rcon);
    } else if (key_words > 6 && i % key_words == 4) {
      temp = substitute(temp);
    }
    w(i) = w(i - key_words) ^ temp;
  }
}

/// InvMixColumns, from the table that has InvSubBytes before it.
Word inverse_mix_column(Word w) {
  const Word s = substitute(w);
  return inverse.mixed[0][row(s, 0)] ^ inverse.mixed[1][row(s, 1)] ^ inverse.mixed[2][row(s, 2)] ^
         inverse.mixed[3][row(s, 3)];
}

struct Block : PortableShifts<Block, Columns> {
  using Vector = Columns;
  using Narrower = void;
  static constexpr unsigned lanes = 1;
  static constexpr unsigned in_flight = 1;
  static constexpr unsigned smallest = 1;

  static Columns load(const std::uint8_t* p) {
    return {{load_word(p), load_word(p + 4), load_word(p + 8), load_word(p + 12)}};
  }
  static void store(std::uint8_t* p, const Columns& x) {
    each<4>([&](unsigned c) { store_word(p + 4 * c, x.w[c]); });
  }
  static Columns exclusive_or(const Columns& a, const Columns& b) {
    return {{a.w[0] ^ b.w[0], a.w[1] ^ b.w[1], a.w[2] ^ b.w[2], a.w[3] ^ b.w[3]}};
  }

  template <unsigned Rounds>
  static Columns first_key(const RoundKeys<Rounds>& keys) {
    return keys.round[0];
  }
  template <unsigned Rounds>
  static Columns last_key(const RoundKeys<Rounds>& keys) {
    return keys.round[Rounds];
  }

  template <unsigned N, unsigned Rounds, typename Operand>
  static void encrypt(const RoundKeys<Rounds>& keys, Columns (&x)[N], Operand operand) {
    for (unsigned i = 0; i < N; ++i) x[i] = last_round<1>(forward, middle_rounds<1>(forward, keys, x[i]), operand(i));
  }

  template <unsigned N, unsigned Rounds, typename Operand>
  static void decrypt(const RoundKeys<Rounds>& keys, Columns (&x)[N], Operand operand) {
    for (unsigned i = 0; i < N; ++i) x[i] = last_round<3>(inverse, middle_rounds<3>(inverse, keys, x[i]), operand(i));
  }
};

struct Engine {
  template <unsigned Rounds>
  using Keys = RoundKeys<Rounds>;
  using Single = Block;
  using Widest = Block;

  template <unsigned Rounds>
  static void expand_encrypt(RoundKeys<Rounds>& keys, const std::uint8_t* key) {
    expand(keys, key);
  }

  /// The equivalent inverse cipher, FIPS-197 section 5.3.5: last round key first, those in between through
  /// InvMixColumns.
  template <unsigned Rounds>
  static void expand_decrypt(RoundKeys<Rounds>& keys, const std::uint8_t* key) {
    expand(keys, key);
    for (unsigned i = 0; i < Rounds - i; ++i) {
      const Columns first = keys.round[i];
      keys.round[i] = keys.round[Rounds - i];
      keys.round[Rounds - i] = first;
    }
    for (unsigned i = 1; i < Rounds; ++i)
      for (Word& w : keys.round[i].w) w = inverse_mix_column(w);
  }
};

constexpr aesgate_backend backend =
    adapt<Engine>("ttable", "software", "none", "four tables of 32-bit words a direction");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate
