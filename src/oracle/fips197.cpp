#include "oracle/fips197.h"

namespace aesgate::fips197 {
namespace {

constexpr unsigned Nb = 4;  // columns of the state, section 2.2

// Section 4.2.1: multiplication by x, modulo m(x) = x^8 + x^4 + x^3 + x + 1.
constexpr std::uint8_t xtime(std::uint8_t b) { return static_cast<std::uint8_t>((b << 1) ^ ((b >> 7) * 0x1b)); }

// Section 4.2: the product in GF(2^8), as a sum of repeated xtime().
constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
  std::uint8_t product = 0;
  for (; b != 0; b = static_cast<std::uint8_t>(b >> 1)) {
    if ((b & 1) != 0) product ^= a;
    a = xtime(a);
  }
  return product;
}
static_assert(multiply(0x57, 0x83) == 0xc1 && multiply(0x57, 0x13) == 0xfe, "the examples of section 4.2");

// Section 4.2: the multiplicative inverse. The group of the field has order 255, so it is b^254; 0 stays 0.
constexpr std::uint8_t inverse(std::uint8_t b) {
  std::uint8_t power = 1;
  for (unsigned bit = 0x80; bit != 0; bit >>= 1) {
    power = multiply(power, power);
    if ((254 & bit) != 0) power = multiply(power, b);
  }
  return power;
}

// Section 5.1.1: the inverse, then the affine transformation (5.1), bit by bit.
constexpr std::uint8_t s_box_of(std::uint8_t byte) {
  const std::uint8_t b = inverse(byte);
  constexpr std::uint8_t c = 0x63;
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned bit =
        (b >> i) ^ (b >> ((i + 4) % 8)) ^ (b >> ((i + 5) % 8)) ^ (b >> ((i + 6) % 8)) ^ (b >> ((i + 7) % 8)) ^ (c >> i);
    result |= (bit & 1) << i;
  }
  return static_cast<std::uint8_t>(result);
}

constexpr std::array<std::uint8_t, 256> make_s_box() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) table[i] = s_box_of(static_cast<std::uint8_t>(i));
  return table;
}
constexpr std::array<std::uint8_t, 256> s_box = make_s_box();

constexpr std::array<std::uint8_t, 256> make_inv_s_box() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) table[s_box[i]] = static_cast<std::uint8_t>(i);
  return table;
}
constexpr std::array<std::uint8_t, 256> inv_s_box = make_inv_s_box();
static_assert(s_box[0x53] == 0xed && s_box[0x00] == 0x63, "figure 7, and the example of section 5.1.1");
static_assert(inv_s_box[0x00] == 0x52 && inv_s_box[0xff] == 0x7d, "figure 14");

// multiply() by a constant of MixColumns(), without a loop: a sum of powers of x, {0b} = {08} + {02} + {01}.
template <unsigned factor>
std::uint8_t times(std::uint8_t b) {
  const std::uint8_t b2 = xtime(b), b4 = xtime(b2), b8 = xtime(b4);
  unsigned product = 0;
  if constexpr ((factor & 1) != 0) product ^= b;
  if constexpr ((factor & 2) != 0) product ^= b2;
  if constexpr ((factor & 4) != 0) product ^= b4;
  if constexpr ((factor & 8) != 0) product ^= b8;
  return static_cast<std::uint8_t>(product);
}

std::uint8_t sum(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return static_cast<std::uint8_t>(a ^ b ^ c ^ d);
}

Word SubWord(Word word) {
  for (std::uint8_t& byte : word) byte = s_box[byte];
  return word;
}

Word RotWord(const Word& a) { return {a[1], a[2], a[3], a[0]}; }

void add(Word& a, const Word& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
}

// The watch of Cipher() and InvCipher() sees every step of every round; this one does not look.
struct NoWatch {
  void operator()(unsigned, std::string_view, const State&) const {}
};

// What the watch sees of a round key.
State round_key(const KeySchedule& schedule, unsigned round) {
  State zero{};
  AddRoundKey(zero, schedule, round);
  return zero;
}

// Figure 5.
template <typename Watch>
State cipher(State state, const KeySchedule& schedule, const Watch& watch) {
  watch(0, "input", state);
  AddRoundKey(state, schedule, 0);
  for (unsigned round = 1; round <= schedule.Nr; ++round) {
    watch(round, "start", state);
    SubBytes(state);
    watch(round, "s_box", state);
    ShiftRows(state);
    watch(round, "s_row", state);
    if (round < schedule.Nr) {
      MixColumns(state);
      watch(round, "m_col", state);
    }
    AddRoundKey(state, schedule, round);
  }
  watch(schedule.Nr, "output", state);
  return state;
}

// Figure 12. Appendix C counts its rounds up, the schedule's round keys go down.
template <typename Watch>
State inv_cipher(State state, const KeySchedule& schedule, const Watch& watch) {
  watch(0, "iinput", state);
  AddRoundKey(state, schedule, schedule.Nr);
  for (unsigned round = 1; round <= schedule.Nr; ++round) {
    watch(round, "istart", state);
    InvShiftRows(state);
    watch(round, "is_row", state);
    InvSubBytes(state);
    watch(round, "is_box", state);
    AddRoundKey(state, schedule, schedule.Nr - round);
    if (round < schedule.Nr) {
      watch(round, "ik_add", state);
      InvMixColumns(state);
    }
  }
  watch(schedule.Nr, "ioutput", state);
  return state;
}

Block block_of(const State& state) {
  Block block;
  from_state(state, block.data());
  return block;
}

}  // namespace

const std::array<std::uint8_t, 256>& SBox() { return s_box; }
const std::array<std::uint8_t, 256>& InvSBox() { return inv_s_box; }

State to_state(const std::uint8_t in[16]) {
  State state;
  for (unsigned c = 0; c < Nb; ++c)
    for (unsigned r = 0; r < 4; ++r) state.s[r][c] = in[r + 4 * c];
  return state;
}

void from_state(const State& state, std::uint8_t out[16]) {
  for (unsigned c = 0; c < Nb; ++c)
    for (unsigned r = 0; r < 4; ++r) out[r + 4 * c] = state.s[r][c];
}

KeySchedule KeyExpansion(const std::uint8_t* key, std::size_t key_bits) {
  const auto Nk = static_cast<unsigned>(key_bits / 32);
  KeySchedule schedule;
  schedule.Nr = Nk + 6;
  auto& w = schedule.w;
  for (unsigned i = 0; i < Nk; ++i) w[i] = {key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]};
  Word Rcon{1, 0, 0, 0};  // Rcon[i] = [x^(i-1), 0, 0, 0]
  for (unsigned i = Nk; i < Nb * (schedule.Nr + 1); ++i) {
    Word temp = w[i - 1];
    if (i % Nk == 0) {
      temp = SubWord(RotWord(temp));
      add(temp, Rcon);
      Rcon[0] = xtime(Rcon[0]);
    } else if (Nk > 6 && i % Nk == 4) {
      temp = SubWord(temp);
    }
    w[i] = w[i - Nk];
    add(w[i], temp);
  }
  return schedule;
}

void Cipher(const std::uint8_t in[16], std::uint8_t out[16], const KeySchedule& schedule) {
  from_state(cipher(to_state(in), schedule, NoWatch{}), out);
}

void InvCipher(const std::uint8_t in[16], std::uint8_t out[16], const KeySchedule& schedule) {
  from_state(inv_cipher(to_state(in), schedule, NoWatch{}), out);
}

void SubBytes(State& state) {
  for (auto& row : state.s)
    for (std::uint8_t& byte : row) byte = s_box[byte];
}

void InvSubBytes(State& state) {
  for (auto& row : state.s)
    for (std::uint8_t& byte : row) byte = inv_s_box[byte];
}

void ShiftRows(State& state) {
  const State before = state;
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned c = 0; c < Nb; ++c) state.s[r][c] = before.s[r][(c + r) % Nb];
}

void InvShiftRows(State& state) {
  const State before = state;
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned c = 0; c < Nb; ++c) state.s[r][(c + r) % Nb] = before.s[r][c];
}

// (5.6)
void MixColumns(State& state) {
  for (unsigned c = 0; c < Nb; ++c) {
    const std::uint8_t s0 = state.s[0][c], s1 = state.s[1][c], s2 = state.s[2][c], s3 = state.s[3][c];
    state.s[0][c] = sum(times<0x02>(s0), times<0x03>(s1), s2, s3);
    state.s[1][c] = sum(s0, times<0x02>(s1), times<0x03>(s2), s3);
    state.s[2][c] = sum(s0, s1, times<0x02>(s2), times<0x03>(s3));
    state.s[3][c] = sum(times<0x03>(s0), s1, s2, times<0x02>(s3));
  }
}

// (5.10)
void InvMixColumns(State& state) {
  for (unsigned c = 0; c < Nb; ++c) {
    const std::uint8_t s0 = state.s[0][c], s1 = state.s[1][c], s2 = state.s[2][c], s3 = state.s[3][c];
    state.s[0][c] = sum(times<0x0e>(s0), times<0x0b>(s1), times<0x0d>(s2), times<0x09>(s3));
    state.s[1][c] = sum(times<0x09>(s0), times<0x0e>(s1), times<0x0b>(s2), times<0x0d>(s3));
    state.s[2][c] = sum(times<0x0d>(s0), times<0x09>(s1), times<0x0e>(s2), times<0x0b>(s3));
    state.s[3][c] = sum(times<0x0b>(s0), times<0x0d>(s1), times<0x09>(s2), times<0x0e>(s3));
  }
}

void AddRoundKey(State& state, const KeySchedule& schedule, unsigned round) {
  for (unsigned c = 0; c < Nb; ++c)
    for (unsigned r = 0; r < 4; ++r) state.s[r][c] ^= schedule.w[round * Nb + c][r];
}

std::vector<RoundValue> trace_Cipher(const Block& in, const KeySchedule& schedule) {
  std::vector<RoundValue> values;
  cipher(to_state(in.data()), schedule, [&](unsigned round, std::string_view name, const State& state) {
    // Appendix C has the round key of a round before the next round's start.
    if (name == "start") values.push_back({round - 1, "k_sch", block_of(round_key(schedule, round - 1))});
    if (name == "output") values.push_back({round, "k_sch", block_of(round_key(schedule, round))});
    values.push_back({round, name, block_of(state)});
  });
  return values;
}

std::vector<RoundValue> trace_InvCipher(const Block& in, const KeySchedule& schedule) {
  std::vector<RoundValue> values;
  inv_cipher(to_state(in.data()), schedule, [&](unsigned round, std::string_view name, const State& state) {
    const auto key = [&](unsigned of) {
      values.push_back({of, "ik_sch", block_of(round_key(schedule, schedule.Nr - of))});
    };
    if (name == "istart" && round == 1) key(0);
    if (name == "ik_add" || name == "ioutput") key(round);
    values.push_back({round, name, block_of(state)});
  });
  return values;
}

}  // namespace aesgate::fips197
