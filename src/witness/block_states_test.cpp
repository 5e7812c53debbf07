#include "witness/block_states.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "core/session.h"
#include "oracle/fips197.h"
#include "oracle/oracle.h"

namespace aesgate::witness {
namespace {

struct Sample {
  Bytes key = Bytes(32), input = Bytes(48);
  Block iv{};

  Sample() {
    std::iota(key.begin(), key.end(), std::uint8_t{3});
    std::iota(input.begin(), input.end(), std::uint8_t{100});
    std::iota(iv.begin(), iv.end(), std::uint8_t{200});
  }
  [[nodiscard]] ByteView key_for(const Shape& shape) const { return {key.data(), key_bytes(shape.key_size)}; }
};

TEST(KnownMessage, IsWhatAnOracleSays) {
  const Sample sample;
  for (const Shape& shape : all_shapes()) {
    const std::size_t length = shape.mode == Mode::cfb1 ? sample.input.size() * 8 : sample.input.size();
    const KnownMessage known = known_message(shape, sample.key_for(shape), sample.iv, sample.input, length);
    Bytes expected(sample.input.size());
    Session session(fips197_oracle(), shape);
    ASSERT_EQ(session.start(sample.key.data(), sample.iv.data()), Status::ok);
    ASSERT_EQ(session.update(sample.input.data(), expected.data(), length), Status::ok);
    EXPECT_EQ(known.output, expected) << name(shape);
    EXPECT_EQ(known.blocks, length / segment_units(shape.mode)) << name(shape);
    EXPECT_EQ(known.last_states.size(), known.blocks + (is_block_mode(shape.mode) ? 0 : 1)) << name(shape);
  }
}

/// What AESENCLAST does with a state (Intel SDM volume 2), and AESDECLAST.
Block last_round(const Block& before, const fips197::KeySchedule& schedule, bool inverse) {
  fips197::State state = fips197::to_state(before.data());
  if (inverse) {
    fips197::InvShiftRows(state);
    fips197::InvSubBytes(state);
  } else {
    fips197::ShiftRows(state);
    fips197::SubBytes(state);
  }
  fips197::AddRoundKey(state, schedule, inverse ? 0 : schedule.Nr);
  Block out;
  fips197::from_state(state, out.data());
  return out;
}

TEST(KnownMessage, ItsStatesComeToTheBlocksByTheLastRound) {
  const Sample sample;
  for (const Direction direction : all_directions) {
    const Shape shape{Mode::ecb, direction, KeySize::bits256};
    const auto schedule = fips197::KeyExpansion(sample.key.data(), 256);
    const KnownMessage known =
        known_message(shape, sample.key_for(shape), sample.iv, sample.input, sample.input.size());
    for (std::size_t block = 0; block < known.blocks; ++block) {
      Block expected;
      std::copy_n(known.output.begin() + static_cast<std::ptrdiff_t>(block * block_bytes), block_bytes,
                  expected.begin());
      EXPECT_EQ(last_round(known.last_states[block], schedule, direction == Direction::decrypt), expected);
    }
  }
}

}  // namespace
}  // namespace aesgate::witness
