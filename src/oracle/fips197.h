#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bytes.h"

/// FIPS-197 spelled out: each function is the one of that name in the standard, so that the two can be
/// read side by side. Slow, not constant in time, and sharing nothing with any backend.
namespace aesgate::fips197 {

/// The state of section 3.4: s[r][c], row r and column c; byte r + 4c of a block.
struct State {
  std::uint8_t s[4][4];
};
[[nodiscard]] State to_state(const std::uint8_t in[16]);
void from_state(const State& state, std::uint8_t out[16]);

/// A word of section 3.5: a column of the state, or four bytes of the key schedule.
using Word = std::array<std::uint8_t, 4>;

/// The key schedule of section 5.2: w[0] … w[Nb (Nr + 1) - 1]. Secret: who holds one wipes it.
struct KeySchedule {
  unsigned Nr = 0;           // 10, 12 or 14 rounds
  std::array<Word, 60> w{};  // the first 4 (Nr + 1) count
};

/// Section 5.2. `key` has key_bits / 8 bytes; key_bits is 128, 192 or 256.
[[nodiscard]] KeySchedule KeyExpansion(const std::uint8_t* key, std::size_t key_bits);

/// Sections 5.1 and 5.3: one block. `out` may be `in`.
void Cipher(const std::uint8_t in[16], std::uint8_t out[16], const KeySchedule& schedule);
void InvCipher(const std::uint8_t in[16], std::uint8_t out[16], const KeySchedule& schedule);

/// The steps of a round, on the state.
void SubBytes(State& state);                                                  // 5.1.1
void ShiftRows(State& state);                                                 // 5.1.2
void MixColumns(State& state);                                                // 5.1.3
void AddRoundKey(State& state, const KeySchedule& schedule, unsigned round);  // 5.1.4
void InvShiftRows(State& state);                                              // 5.3.1
void InvSubBytes(State& state);                                               // 5.3.2
void InvMixColumns(State& state);                                             // 5.3.3

/// The substitution tables of figures 7 and 14.
[[nodiscard]] const std::array<std::uint8_t, 256>& SBox();
[[nodiscard]] const std::array<std::uint8_t, 256>& InvSBox();

/// One line of the tables in appendix C: "round[ 1].s_box 63cab7040953d051cd60e0e7ba70e18c".
struct RoundValue {
  unsigned round;
  std::string_view name;  // input, start, s_box, s_row, m_col, k_sch, output; for InvCipher iinput,
                          // istart, is_row, is_box, ik_sch, ik_add, ioutput
  Block value;
};

/// What Cipher() and InvCipher() go through, in the order of appendix C. Appendix B has the same values: its
/// "start of round" is `start`, "after SubBytes" `s_box`, and so on; "round key value" is the `k_sch` before the next
/// `start`.
[[nodiscard]] std::vector<RoundValue> trace_Cipher(const Block& in, const KeySchedule& schedule);
[[nodiscard]] std::vector<RoundValue> trace_InvCipher(const Block& in, const KeySchedule& schedule);

}  // namespace aesgate::fips197
