// AES byte by byte, in the order and the words of FIPS-197: the S-box is the one table, and it is computed. Its
// lookups depend on secrets, so its time does.

#include "backends/adapter.h"
#include "modes/portable_shifts.h"

namespace aesgate {
namespace {

// FIPS-197 section 4.2: bytes are polynomials over GF(2), multiplied modulo x^8 + x^4 + x^3 + x + 1.
constexpr std::uint8_t xtime(std::uint8_t a) { return static_cast<std::uint8_t>(a << 1 ^ (a >> 7) * 0x11b); }

constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
  std::uint8_t sum = 0;
  for (; b != 0; b = static_cast<std::uint8_t>(b >> 1), a = xtime(a))
    if (b & 1) sum ^= a;
  return sum;
}
static_assert(multiply(0x57, 0x13) == 0xfe, "FIPS-197 section 4.2.1");

struct Boxes {
  std::uint8_t forward[256];
  std::uint8_t inverse[256];
};

// FIPS-197 section 5.1.1: the multiplicative inverse, which is the 254th power, then an affine transformation.
constexpr std::uint8_t substitute(std::uint8_t a) {
  std::uint8_t inverse = 1;
  std::uint8_t power = a;
  for (unsigned exponent = 254; exponent != 0; exponent >>= 1, power = multiply(power, power))
    if (exponent & 1) inverse = multiply(inverse, power);
  unsigned b = inverse;
  b |= b << 8;
  return static_cast<std::uint8_t>(b ^ b >> 4 ^ b >> 5 ^ b >> 6 ^ b >> 7 ^ 0x63);
}

constexpr Boxes make_boxes() {
  Boxes boxes{};
  for (unsigned a = 0; a < 256; ++a) {
    boxes.forward[a] = substitute(static_cast<std::uint8_t>(a));
    boxes.inverse[boxes.forward[a]] = static_cast<std::uint8_t>(a);
  }
  return boxes;
}

constexpr Boxes boxes = make_boxes();
static_assert(boxes.forward[0x00] == 0x63 && boxes.forward[0x53] == 0xed && boxes.forward[0xff] == 0x16);
static_assert(boxes.inverse[0x00] == 0x52 && boxes.inverse[0xed] == 0x53 && boxes.inverse[0xff] == 0x7d);

/// The state, column by column: byte 4 * c + r is in row r and column c (FIPS-197 section 3.4).
struct State {
  std::uint8_t s[16];
};

template <unsigned Rounds>
struct RoundKeys {
  State round[Rounds + 1];
};

void add_round_key(State& state, const State& key) {
  for (unsigned i = 0; i < 16; ++i) state.s[i] ^= key.s[i];
}

void sub_bytes(State& state, const std::uint8_t (&box)[256]) {
  for (std::uint8_t& s : state.s) s = box[s];
}

/// Row r moves left by r columns; the inverse of that is to move it left by 3 * r.
void shift_rows(State& state, unsigned columns) {
  const State before = state;
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned c = 0; c < 4; ++c) state.s[4 * c + r] = before.s[4 * ((c + r * columns) % 4) + r];
}

void mix_columns(State& state) {
  for (unsigned c = 0; c < 16; c += 4) {
    std::uint8_t* s = state.s + c;
    const std::uint8_t first = s[0];
    const auto all = static_cast<std::uint8_t>(s[0] ^ s[1] ^ s[2] ^ s[3]);
    for (unsigned r = 0; r < 4; ++r) {
      const std::uint8_t below = r < 3 ? s[r + 1] : first;
      s[r] = static_cast<std::uint8_t>(s[r] ^ all ^ xtime(static_cast<std::uint8_t>(s[r] ^ below)));
    }
  }
}

/// {0e 0b 0d 09} is {02 03 01 01} times {05 00 04 00}: a step before MixColumns makes it its own inverse.
void inverse_mix_columns(State& state) {
  for (unsigned c = 0; c < 16; c += 4) {
    std::uint8_t* s = state.s + c;
    const std::uint8_t even = xtime(xtime(static_cast<std::uint8_t>(s[0] ^ s[2])));
    const std::uint8_t odd = xtime(xtime(static_cast<std::uint8_t>(s[1] ^ s[3])));
    for (unsigned r = 0; r < 4; ++r) s[r] ^= r % 2 == 0 ? even : odd;
  }
  mix_columns(state);
}

/// FIPS-197 section 5.2, with Nk = Rounds - 6 words of key.
template <unsigned Rounds>
void expand(RoundKeys<Rounds>& keys, const std::uint8_t* key) {
  constexpr unsigned key_words = Rounds - 6;
  std::uint8_t* w = keys.round[0].s;
  for (unsigned i = 0; i < 4 * key_words; ++i) w[i] = key[i];
  std::uint8_t rcon = 1;
  for (unsigned i = key_words; i < 4 * (Rounds + 1); ++i) {
    auto word = [](unsigned at, RoundKeys<Rounds>& k) { return k.round[at / 4].s + at % 4 * 4; };
    const std::uint8_t* last = word(i - 1, keys);
    std::uint8_t temp[4] = {last[0], last[1], last[2], last[3]};
    if (i % key_words == 0) {
      const std::uint8_t first = temp[0];
      for (unsigned r = 0; r < 4; ++r) temp[r] = boxes.forward[r < 3 ? temp[r + 1] : first];
      temp[0] ^= rcon;
      rcon = xtime(rcon);
    } else if (key_words > 6 && i % key_words == 4) {
      for (std::uint8_t& t : temp) t = boxes.forward[t];
    }
    for (unsigned r = 0; r < 4; ++r) word(i, keys)[r] = word(i - key_words, keys)[r] ^ temp[r];
  }
}

struct Block : PortableShifts<Block, State> {
  using Vector = State;
  using Narrower = void;
  static constexpr unsigned lanes = 1;
  static constexpr unsigned in_flight = 1;
  static constexpr unsigned smallest = 1;

  static State load(const std::uint8_t* p) {
    State state;
    __builtin_memcpy(state.s, p, 16);
    return state;
  }
  static void store(std::uint8_t* p, const State& state) { __builtin_memcpy(p, state.s, 16); }
  static State exclusive_or(State a, const State& b) {
    add_round_key(a, b);
    return a;
  }

  template <unsigned Rounds>
  static State first_key(const RoundKeys<Rounds>& keys) {
    return keys.round[0];
  }
  template <unsigned Rounds>
  static State last_key(const RoundKeys<Rounds>& keys) {
    return keys.round[Rounds];
  }

  /// FIPS-197 section 5.1, Cipher(), from after the first AddRoundKey on.
  template <unsigned N, unsigned Rounds, typename Operand>
  static void encrypt(const RoundKeys<Rounds>& keys, State (&x)[N], Operand operand) {
    for (unsigned i = 0; i < N; ++i) {
      for (unsigned round = 1; round < Rounds; ++round) {
        sub_bytes(x[i], boxes.forward);
        shift_rows(x[i], 1);
        mix_columns(x[i]);
        add_round_key(x[i], keys.round[round]);
      }
      sub_bytes(x[i], boxes.forward);
      shift_rows(x[i], 1);
      add_round_key(x[i], operand(i));
    }
  }

  /// FIPS-197 section 5.3, InvCipher(), the same way.
  template <unsigned N, unsigned Rounds, typename Operand>
  static void decrypt(const RoundKeys<Rounds>& keys, State (&x)[N], Operand operand) {
    for (unsigned i = 0; i < N; ++i) {
      for (unsigned round = 1; round < Rounds; ++round) {
        shift_rows(x[i], 3);
        sub_bytes(x[i], boxes.inverse);
        add_round_key(x[i], keys.round[round]);
        inverse_mix_columns(x[i]);
      }
      shift_rows(x[i], 3);
      sub_bytes(x[i], boxes.inverse);
      add_round_key(x[i], operand(i));
    }
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

  /// InvCipher() takes the same round keys, the last one first.
  template <unsigned Rounds>
  static void expand_decrypt(RoundKeys<Rounds>& keys, const std::uint8_t* key) {
    expand(keys, key);
    for (unsigned i = 0; i < Rounds - i; ++i) {
      const State first = keys.round[i];
      keys.round[i] = keys.round[Rounds - i];
      keys.round[Rounds - i] = first;
    }
  }
};

constexpr aesgate_backend backend = adapt<Engine>("sbox", "software", "none", "FIPS-197 byte by byte, with an S-box");
AESGATE_REGISTER(backend);

}  // namespace
}  // namespace aesgate
