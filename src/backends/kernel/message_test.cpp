// How a message becomes requests, against the oracles; and what a device that goes wrong makes of it.

#include "backends/kernel/message.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/session.h"
#include "oracle/oracle.h"

namespace aesgate::kernel {
namespace {

/// A kernel's driver, by the oracle: each request a message of its own.
struct OracleDevice {
  Shape shape;
  std::vector<std::size_t> requests{};
  std::size_t most = 64;
  std::size_t fails_at = ~std::size_t{0};

  [[nodiscard]] std::size_t most_bytes() const { return most; }
  bool run(const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
    requests.push_back(length);
    if (requests.size() > fails_at) return false;
    Session session(cryptopp_oracle(), shape);
    return session.start(Key(shape.key_size).bytes().data(), iv) == Status::ok &&
           session.update(in, out, length) == Status::ok;
  }
};

Bytes text(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(7 * i + i / 11);
  return bytes;
}

constexpr Block iv{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

Bytes expected(const Shape& shape, const Bytes& in) {
  Bytes out(in.size());
  Session session(cryptopp_oracle(), shape);
  EXPECT_EQ(session.start(Key(shape.key_size).bytes().data(), iv.data()), Status::ok);
  EXPECT_EQ(session.update(in.data(), out.data(), in.size()), Status::ok);
  return out;
}

Message begun(const Shape& shape) {
  Message message;
  message.begin(shape.abi().mode, shape.direction == Direction::decrypt, iv.data());
  return message;
}

TEST(kernel_message, every_split_in_three_gives_the_same_in_place_and_not) {
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::cfb128, Mode::ofb})
    for (const Direction direction : all_directions) {
      const Shape shape{mode, direction, KeySize::bits192};
      SCOPED_TRACE(name(shape));
      const Bytes in = text(is_block_mode(mode) ? 96 : 53);
      const Bytes right = expected(shape, in);
      const std::size_t step = is_block_mode(mode) ? 16 : 1;
      for (std::size_t a = 0; a <= in.size(); a += step)
        for (std::size_t b = a; b <= in.size(); b += step) {
          OracleDevice device{shape};
          Message message = begun(shape);
          Bytes out = in;
          ASSERT_EQ(message.update(device, out.data(), out.data(), a), AESGATE_OK);
          ASSERT_EQ(message.update(device, in.data() + a, out.data() + a, b - a), AESGATE_OK);
          ASSERT_EQ(message.update(device, out.data() + b, out.data() + b, in.size() - b), AESGATE_OK);
          ASSERT_EQ(out, right) << a << ' ' << b;
        }
    }
}

TEST(kernel_message, no_request_is_longer_than_the_device_takes) {
  OracleDevice device{{Mode::cbc, Direction::decrypt, KeySize::bits128}};
  Message message = begun(device.shape);
  Bytes data = text(208);
  const Bytes right = expected(device.shape, data);
  ASSERT_EQ(message.update(device, data.data(), data.data(), data.size()), AESGATE_OK);
  EXPECT_THAT(device.requests, ::testing::ElementsAre(64u, 64u, 64u, 16u));
  EXPECT_EQ(data, right);
}

TEST(kernel_message, the_rest_of_a_block_needs_no_request) {
  OracleDevice device{{Mode::cfb128, Direction::encrypt, KeySize::bits128}};
  Message message = begun(device.shape);
  Bytes data = text(16);
  Block next{};
  ASSERT_EQ(message.update(device, data.data(), data.data(), 5), AESGATE_OK);
  EXPECT_EQ(message.chaining_value(next.data()), AESGATE_UNSUPPORTED);
  ASSERT_EQ(message.update(device, data.data() + 5, data.data() + 5, 11), AESGATE_OK);
  EXPECT_THAT(device.requests, ::testing::ElementsAre(16u));
  EXPECT_EQ(message.chaining_value(next.data()), AESGATE_OK);
  EXPECT_THAT(data, ::testing::ElementsAreArray(next));
}

TEST(kernel_message, a_request_that_fails_is_a_failure_and_is_not_tried_again) {
  for (const std::size_t length : {std::size_t{128}, std::size_t{130}}) {
    OracleDevice device{{Mode::ofb, Direction::encrypt, KeySize::bits128}};
    device.fails_at = length / 64;
    if (length == 128) device.fails_at = 1;
    Message message = begun(device.shape);
    Bytes data = text(length);
    EXPECT_EQ(message.update(device, data.data(), data.data(), length), AESGATE_FAILED);
    EXPECT_EQ(device.requests.size(), device.fails_at + 1);
  }
}

/// One that hands an IV back.
struct HandingBack : OracleDevice {
  bool lies = false;
  [[nodiscard]] bool handed_back(const std::uint8_t*) const { return !lies; }
};

TEST(kernel_message, another_iv_than_the_device_handed_back_is_a_failure) {
  for (const bool lies : {false, true}) {
    HandingBack device{{{Mode::cbc, Direction::encrypt, KeySize::bits128}}, lies};
    Message message = begun(device.shape);
    Bytes data = text(32);
    EXPECT_EQ(message.update(device, data.data(), data.data(), 32), lies ? AESGATE_FAILED : AESGATE_OK);
  }
}

}  // namespace
}  // namespace aesgate::kernel
