#include "core/case.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/case_text.h"

namespace aesgate {
namespace {

constexpr const char* minimal =
    "mode = CBC\ndirection = encrypt\nkey = 2b7e151628aed2a6abf7158809cf4f3c\n"
    "iv = 000102030405060708090a0b0c0d0e0f\ninput = 6bc1bee22e409f96e93d7e117393172a\n";

std::string message_of(const std::string& text) {
  const auto c = parse_case(text, "x.case");
  return c ? "no error" : c.error().message;
}

TEST(case_text, a_minimal_case_is_one_call_of_the_whole) {
  const auto c = parse_case(minimal, "x.case");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->length, 16u);
  EXPECT_EQ(c->chunks, std::vector<std::size_t>{16});
  EXPECT_EQ(name(c->shape), "CBC encrypt 128");
}

TEST(case_text, every_field_survives_a_round_trip) {
  const std::string text =
      "backend = aesni\norigin = seed 7\nmode = CFB1\ndirection = decrypt\n"
      "key = 000102030405060708090a0b0c0d0e0f1011121314151617\niv = 000102030405060708090a0b0c0d0e0f\n"
      "input = ab80\nlength = 9\nchunks = 3,0,6\nplacement = in-place; input end-3; key start+1; iv end-0\n"
      "expected = 1200\n";
  const auto c = parse_case(text, "x.case");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(to_text(*c), text);
}

TEST(case_text, conditions_and_the_place_of_the_context_survive) {
  const std::string text =
      std::string(minimal) +
      "chunks = 16\nplacement = out-of-place; input start+0; output end-1; key start+0; iv start+0; "
      "context start+1\nconditions = memory another-message; company 3; threads 2; timer; migration\n";
  const auto c = parse_case(text, "x.case");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(to_text(*c), text);
  EXPECT_EQ(c->conditions.memory, Conditions::Memory::another_message);
  EXPECT_TRUE(c->copy().conditions == c->conditions);
  for (const char* memory : {"fresh", "another-message", "restarted", "started-again"}) {
    const auto parsed = parse_conditions(fmt::format("memory {}", memory));
    ASSERT_TRUE(parsed) << memory;
    EXPECT_EQ(to_text(*parsed), std::string_view(memory) == "fresh" ? "" : fmt::format("memory {}", memory));
  }
  EXPECT_THAT(message_of(std::string(minimal) + "conditions = company 17\n"),
              testing::StartsWith("x.case:6: conditions: 17 is more than 16"));
  for (const char* wrong : {"", "company", "timer 3", "memory old", "memory", "weather", "threads -1"})
    EXPECT_THAT(message_of(fmt::format("{}conditions = {}\n", minimal, wrong)),
                testing::StartsWith("x.case:6: conditions: "))
        << wrong;
}

TEST(case_text, a_message_that_repeats_survives) {
  const std::string text = std::string(minimal) +
                           "repeated-to = 4294967312\nplacement = out-of-place; input start+0; output start+0; "
                           "key start+0; iv start+0\n";
  const auto c = parse_case(text, "x.case");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(to_text(*c), text);
  EXPECT_EQ(c->output_length(), 0u);
  for (const char* wrong : {"0", "16", "4294967313", "1000000000000"})
    EXPECT_THAT(message_of(fmt::format("{}repeated-to = {}\n", minimal, wrong)),
                testing::StartsWith("x.case:6: repeated-to: "))
        << wrong;
}

TEST(case_text, an_error_names_file_line_and_field) {
  EXPECT_THAT(message_of(std::string(minimal) + "colour = red\n"),
              testing::StartsWith("x.case:6: colour: unknown field;"));
  EXPECT_THAT(message_of(std::string(minimal) + "mode = CBC\n"),
              testing::StartsWith("x.case:6: mode: the field is there twice"));
  EXPECT_THAT(message_of("mode = CBC\ndirection = encrypt\nkey = 2b7\n"),
              testing::StartsWith("x.case:3: key: 3 hexadecimal digits, an odd number"));
  EXPECT_THAT(message_of("mode = CBC\ndirection = encrypt\nkey = 2b\n"),
              testing::StartsWith("x.case:3: key: a key of 1 bytes; AES takes 16, 24 or 32"));
  EXPECT_THAT(message_of("mode = CBC\n"), testing::StartsWith("x.case:1: direction: the field is missing"));
  EXPECT_THAT(message_of(""), testing::StartsWith("x.case:1: mode: the field is missing"));
  EXPECT_THAT(message_of("mode = CTR\n"), testing::StartsWith("x.case:1: mode: unknown mode \"CTR\"; known: ECB, CBC"));
  EXPECT_THAT(message_of("mode = CBC\r\n"), testing::StartsWith("x.case:1: the line ends in CR LF"));
  EXPECT_THAT(message_of(std::string("\x7f"
                                     "ELF\0",
                                     5)),
              testing::StartsWith("x.case:1: byte 0x7f: this is no text file"));
  EXPECT_THAT(message_of(std::string(minimal) + "chunks = 16,16\n"),
              testing::StartsWith("x.case:6: chunks: they add up to more than the length, 16"));
  EXPECT_THAT(message_of(std::string(minimal) + "length = 16\n"),
              testing::StartsWith("x.case:6: length: CBC has no such field"));
}

TEST(case_text, an_error_between_fields_names_the_line_of_the_one_to_change) {
  EXPECT_EQ(message_of(std::string(minimal) + "chunks = 17\n"),
            "x.case:6: chunks: 17 is no multiple of 16, a probe that takes no input; the others add up to 0 of 16");
  EXPECT_EQ(message_of(std::string(minimal) + "chunks = 0\n"),
            "x.case:6: chunks: they add up to 0, but the length is 16");
  EXPECT_EQ(message_of(std::string(minimal) + "expected = 00\n"), "x.case:6: expected: 1 bytes, but the output has 16");
  EXPECT_EQ(message_of(std::string(minimal) + "monte-carlo = 0\n"),
            "x.case:6: monte-carlo: 0 steps; leave the field out for no Monte Carlo loop");
}

TEST(case_text, a_file_is_written_whole_and_read_back) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "aesgate_case_text";
  std::filesystem::create_directories(folder);
  const auto c = parse_case(minimal, "x.case");
  ASSERT_TRUE(c);
  ASSERT_TRUE(write_case(folder / "a.case", *c));
  const auto again = read_case(folder / "a.case");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_text(*again), to_text(*c));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_FALSE(write_case(folder / "absent" / "a.case", *c));
  std::filesystem::remove_all(folder);
}

TEST(case_text, a_directory_or_an_absent_file_is_an_error) {
  EXPECT_FALSE(read_case(testing::TempDir()));
  EXPECT_FALSE(read_case("absent.case"));
}

TEST(case_text, a_fifo_that_nobody_writes_to_is_an_empty_file) {
  const auto fifo = std::filesystem::path(testing::TempDir()) / fmt::format("aesgate_fifo_{}", getpid());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(read_case(fifo));
  std::filesystem::remove(fifo);
}

TEST(case_rules, a_probe_of_a_wrong_length_does_not_count) {
  auto c = parse_case(std::string(minimal) + "chunks = 5,16,17\n", "x.case");
  EXPECT_TRUE(c) << c.error().message;
}

}  // namespace
}  // namespace aesgate
