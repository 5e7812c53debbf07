#include "core/key_traces.h"

#include <gtest/gtest.h>

namespace aesgate {
namespace {

Key key_of(const char* hex) { return Key::from(*from_hex(hex)).value(); }

/// Memory with `hex` in it, 5 bytes from its start.
Bytes memory_with(const char* hex) {
  Bytes memory(100, 0x33);
  const Bytes bytes = *from_hex(hex);
  std::copy(bytes.begin(), bytes.end(), memory.begin() + 5);
  return memory;
}

// Expected round keys: FIPS-197 appendix A.1, and the equivalent inverse cipher's by appendix C.1 (ik_sch).
TEST(key_traces, a_round_key_is_found_in_each_of_its_forms) {
  const Key key = key_of("2b7e151628aed2a6abf7158809cf4f3c");
  const KeyTraces traces(key);
  EXPECT_FALSE(traces.find(Bytes(4096, 0)));
  const auto expect_found = [&](const char* hex, unsigned round) {
    const auto trace = traces.find(memory_with(hex));
    ASSERT_TRUE(trace) << hex;
    EXPECT_EQ(trace->round, round);
    EXPECT_EQ(trace->offset, 5u);
  };
  expect_found("2b7e151628aed2a6abf7158809cf4f3c", 0);
  expect_found("a0fafe1788542cb123a339392a6c7605", 1);
  expect_found("17fefaa0b12c54883939a32305766c2a", 1);
  expect_found("d014f9a8c9ee2589e13f0cc8b6630ca6", 10);
  EXPECT_FALSE(traces.find(memory_with("a0fafe1788542cb123a339392a6c7604")));
}

TEST(key_traces, the_inverse_ciphers_round_keys_are_found) {
  // C.1: ik_sch of the equivalent inverse cipher's round 1 is InvMixColumns of round key 9.
  const KeyTraces traces(key_of("000102030405060708090a0b0c0d0e0f"));
  const auto trace = traces.find(memory_with("13aa29be9c8faff6f770f58000f7bf03"));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->round, 9u);
  EXPECT_EQ(name(*trace), "round key 9");
}

TEST(key_traces, the_second_half_of_a_long_key_is_found) {
  const KeyTraces traces(key_of("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"));
  const auto trace = traces.find(memory_with("1f352c073b6108d72d9810a30914dff4"));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->round, 1u);
}

TEST(key_traces, a_half_is_found_where_it_is_asked_for) {
  const KeyTraces traces(key_of("2b7e151628aed2a6abf7158809cf4f3c"));
  for (const char* hex : {"a0fafe1788542cb1", "23a339392a6c7605", "17fefaa0b12c5488", "2b7e151628aed2a6"}) {
    EXPECT_FALSE(traces.find(memory_with(hex)));
    const auto trace = traces.find_half(memory_with(hex));
    ASSERT_TRUE(trace) << hex;
    EXPECT_EQ(trace->offset, 5u);
    EXPECT_EQ(name(*trace), hex[0] == '2' && hex[1] == 'b' ? "half of the key" : "half of round key 1");
  }
  // Words 0 and 1 in places of 8 bytes; words 1 and 3 where all were.
  EXPECT_TRUE(traces.find_half(memory_with("a0fafe170000000088542cb1")));
  EXPECT_TRUE(traces.find_half(memory_with("88542cb1000000002a6c7605")));
  // Across the middle, and one bit off.
  EXPECT_FALSE(traces.find_half(memory_with("88542cb123a33939")));
  EXPECT_FALSE(traces.find_half(memory_with("a0fafe1788542cb0")));
}

TEST(key_traces, half_a_round_key_of_zeros_is_not_found_in_zeros) {
  const KeyTraces traces(key_of("00000000000000000123456789abcdef"));
  EXPECT_FALSE(traces.find_half(Bytes(4096, 0)));
}

TEST(key_traces, are_found_anywhere_in_much_memory_that_holds_one_value) {
  const KeyTraces traces(key_of("2b7e151628aed2a6abf7158809cf4f3c"));
  const Bytes round_key = *from_hex("a0fafe1788542cb123a339392a6c7605");
  // Of the second value, the trace begins in the midst.
  for (const std::uint8_t value : {std::uint8_t{0x00}, std::uint8_t{0xa0}})
    for (std::size_t at = 0; at <= 984; ++at) {
      Bytes memory(1000, value);
      std::copy(round_key.begin(), round_key.end(), memory.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_TRUE(traces.find(memory)) << at;
      EXPECT_EQ(traces.find(memory)->offset, at);
      ASSERT_TRUE(traces.find_half(memory)) << at;
      EXPECT_EQ(traces.find_half(memory)->offset, at);
    }
  EXPECT_FALSE(traces.find(Bytes(1000, 0xa0)));
}

TEST(key_traces, the_key_of_zeros_is_not_found_in_zeros) {
  const KeyTraces traces(key_of("00000000000000000000000000000000"));
  EXPECT_FALSE(traces.find(Bytes(4096, 0)));
  EXPECT_TRUE(traces.find(memory_with("9b9898c9f9fbfbaa9b9898c9f9fbfbaa")) ||
              traces.find(memory_with("90973450696ccffaf2f457330b0fac99")));
}

}  // namespace
}  // namespace aesgate
