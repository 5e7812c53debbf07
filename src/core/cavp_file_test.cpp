#include "core/cavp_file.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string key = "KEY = 2b7e151628aed2a6abf7158809cf4f3c\n";
const std::string iv = "IV = 000102030405060708090a0b0c0d0e0f\n";
const std::string texts =
    "PLAINTEXT = 6bc1bee22e409f96e93d7e117393172a\nCIPHERTEXT = 7649abac8119b246cee98e9b12e9197d\n";
const std::string vector = "COUNT = 0\n" + key + iv + texts;

Result<std::vector<Case>> parse(const std::string& text, const std::string& file_name = "CBCMMT128.rsp") {
  TextReader reader = TextReader::from(text, file_name);
  return parse_cavp(reader, file_name);
}

std::string message_of(const std::string& text, const std::string& file_name = "CBCMMT128.rsp") {
  const auto cases = parse(text, file_name);
  return cases ? fmt::format("no error, {} cases", cases->size()) : cases.error().message;
}

TEST(cavp_file, a_section_gives_the_direction_and_what_is_expected) {
  const auto cases = parse("# comment\n\n[ENCRYPT]\n\n" + vector + "\n[DECRYPT]\n\n" + vector);
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_EQ(cases->size(), 2u);
  const Case& encrypt = cases->front();
  EXPECT_EQ(name(encrypt.shape), "CBC encrypt 128");
  EXPECT_EQ(encrypt.origin, "CBCMMT128.rsp:5 ENCRYPT COUNT=0");
  EXPECT_EQ(to_hex(encrypt.input), "6bc1bee22e409f96e93d7e117393172a");
  EXPECT_EQ(to_hex(encrypt.expected.value()), "7649abac8119b246cee98e9b12e9197d");
  EXPECT_EQ(to_hex(encrypt.iv), "000102030405060708090a0b0c0d0e0f");
  EXPECT_TRUE(encrypt.validate());
  const Case& decrypt = cases->back();
  EXPECT_EQ(decrypt.shape.direction, Direction::decrypt);
  EXPECT_EQ(decrypt.origin, "CBCMMT128.rsp:13 DECRYPT COUNT=0");
  EXPECT_EQ(decrypt.input, encrypt.expected);
  EXPECT_EQ(decrypt.expected, encrypt.input);
}

TEST(cavp_file, a_file_that_was_cut_between_vectors_is_an_error) {
  EXPECT_TRUE(parse("# Vectors: 1\n[ENCRYPT]\n" + vector));
  EXPECT_EQ(message_of("# Vectors: 2\n[ENCRYPT]\n" + vector),
            "CBCMMT128.rsp:7: the file ends after 1 vectors, but its head announces 2; was it cut?");
  EXPECT_EQ(message_of("# Vectors: x\n"), "CBCMMT128.rsp:1: Vectors: \"x\" is no decimal number");
}

TEST(cavp_file, cfb1_texts_are_bits_packed_from_the_most_significant) {
  const auto cases = parse("[ENCRYPT]\nCOUNT = 0\n" + key + iv + "PLAINTEXT = 0110101111\nCIPHERTEXT = 0110100010\n",
                           "CFB1MMT128.rsp");
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_EQ(cases->front().length, 10u);
  EXPECT_EQ(to_hex(cases->front().input), "6bc0");
  EXPECT_EQ(to_hex(cases->front().expected.value()), "6880");
}

TEST(cavp_file, the_name_gives_mode_and_key_size) {
  const auto shape = [](const std::string& file_name) {
    const auto cases = parse("[ENCRYPT]\n" + vector, file_name);
    return cases ? name(cases->front().shape) : cases.error().message;
  };
  EXPECT_EQ(shape("CFB128GFSbox128.rsp"), "CFB128 encrypt 128");
  EXPECT_EQ(shape("CFB8MMT128.rsp"), "CFB8 encrypt 128");
  EXPECT_EQ(shape("OFBKeySbox128.rsp"), "OFB encrypt 128");
  EXPECT_THAT(shape("CFB1MMT128.rsp"), StartsWith("CFB1MMT128.rsp:5: PLAINTEXT: column 1 of the value is no bit"));
  EXPECT_THAT(shape("CBCMMT192.rsp"), StartsWith("CBCMMT192.rsp:3: KEY: 128 bits, but the name of the file says 192"));
  EXPECT_THAT(shape("CTRMMT128.rsp"), HasSubstr("does not begin with a mode"));
  EXPECT_THAT(shape("CBCMMT512.rsp"), HasSubstr("does not end in a key size"));
  EXPECT_THAT(shape("CBCMMT128.txt"), HasSubstr("does not end in .rsp"));
  EXPECT_THAT(shape("CFB128.rsp"), HasSubstr("does not end in a key size"));
  EXPECT_THAT(shape(""), HasSubstr("does not begin with a mode"));
}

TEST(cavp_file, an_error_names_file_line_and_field) {
  const std::string begin = "[ENCRYPT]\n";
  EXPECT_THAT(message_of(begin + "COUNT = 0\nKEY = 2b7\n"),
              StartsWith("CBCMMT128.rsp:3: KEY: 3 hexadecimal digits, an odd number"));
  EXPECT_THAT(message_of(begin + "COUNT = 0\nKEY = 2x\n"), StartsWith("CBCMMT128.rsp:3: KEY: column 2 of the value"));
  EXPECT_THAT(message_of(begin + "COUNT = 0\n" + key + "IV = 00\n"),
              StartsWith("CBCMMT128.rsp:4: IV: 1 bytes; an IV has 16"));
  EXPECT_THAT(message_of(begin + vector + key), StartsWith("CBCMMT128.rsp:7: KEY: the field is there twice"));
  EXPECT_THAT(message_of(begin + "COUNT = x\n"), StartsWith("CBCMMT128.rsp:2: COUNT: \"x\" is no decimal number"));
  EXPECT_THAT(message_of(begin + vector + "COLOUR = red\n"),
              StartsWith("CBCMMT128.rsp:7: COLOUR: unknown field; known: COUNT, KEY"));
  EXPECT_THAT(message_of(begin + vector + "hello\n"), StartsWith("CBCMMT128.rsp:7: \"hello\" is neither a section"));
  EXPECT_THAT(message_of("[SIGN]\n" + vector), StartsWith("CBCMMT128.rsp:1: [SIGN]: unknown section"));
  EXPECT_THAT(message_of(begin + "COUNT = 0\n" + key + iv + "PLAINTEXT = 00\n"),
              StartsWith("CBCMMT128.rsp:5: PLAINTEXT: 1 bytes; CBC takes multiples of 16"));
}

TEST(cavp_file, a_missing_field_names_the_vector) {
  const std::string begin = "[ENCRYPT]\n";
  EXPECT_THAT(message_of(begin + "COUNT = 0\n" + iv + texts),
              StartsWith("CBCMMT128.rsp:2: KEY: the field is missing in the vector COUNT=0"));
  EXPECT_THAT(message_of(begin + "COUNT = 0\n" + key + texts), StartsWith("CBCMMT128.rsp:2: IV: the field is missing"));
  EXPECT_THAT(message_of(begin + "COUNT = 0\n" + key + iv), StartsWith("CBCMMT128.rsp:2: PLAINTEXT: the field is"));
  EXPECT_THAT(message_of(begin + "COUNT = 0\n" + key + iv + texts.substr(0, texts.find("CIPHERTEXT"))),
              StartsWith("CBCMMT128.rsp:2: CIPHERTEXT: the field is missing"));
}

TEST(cavp_file, nothing_is_skipped) {
  EXPECT_THAT(message_of(vector), StartsWith("CBCMMT128.rsp:1: COUNT: a vector before the first section"));
  EXPECT_THAT(message_of("[ENCRYPT]\n" + key), StartsWith("CBCMMT128.rsp:2: KEY: outside a vector"));
  EXPECT_THAT(message_of("[ENCRYPT]\n" + vector + "\n" + key), StartsWith("CBCMMT128.rsp:8: KEY: outside a vector"));
  EXPECT_THAT(message_of("[ENCRYPT]\n" + vector, "ECBMMT128.rsp"),
              StartsWith("ECBMMT128.rsp:4: IV: ECB has no such field"));
  EXPECT_THAT(message_of(""), StartsWith("CBCMMT128.rsp:1: COUNT: there is no vector in this file"));
  EXPECT_THAT(message_of("# only\n[ENCRYPT]\n"), StartsWith("CBCMMT128.rsp:2: COUNT: there is no vector"));
  EXPECT_THAT(message_of("[ENCRYPT]\nCOUNT = 0\n" + key + iv + "PLAINTEXT =\nCIPHERTEXT =\n"),
              StartsWith("CBCMMT128.rsp:2: PLAINTEXT: it is empty"));
}

TEST(cavp_file, a_gap_between_counts_is_an_error) {
  EXPECT_THAT(message_of("[ENCRYPT]\n" + vector + vector), StartsWith("CBCMMT128.rsp:7: COUNT: 0, where 1 comes next"));
}

TEST(cavp_file, texts_of_different_lengths_are_an_error) {
  EXPECT_THAT(message_of("[ENCRYPT]\nCOUNT = 0\n" + key + iv + "PLAINTEXT = 011\nCIPHERTEXT = 01\n", "CFB1MMT128.rsp"),
              StartsWith("CFB1MMT128.rsp:2: CIPHERTEXT: 2 bits, but PLAINTEXT has 3 in the vector COUNT=0"));
}

TEST(cavp_file, what_is_no_text_file_is_an_error_of_its_line) {
  EXPECT_THAT(message_of("[ENCRYPT]\r\n"), StartsWith("CBCMMT128.rsp:1: the line ends in CR LF"));
  EXPECT_THAT(message_of(std::string("[ENCRYPT]\n\x01\x00", 12)), StartsWith("CBCMMT128.rsp:2: byte 0x01"));
  EXPECT_THAT(message_of("[ENCRYPT]\nCOUNT = 0\nKEY = " + std::string(TextReader::max_line, '0')),
              StartsWith("CBCMMT128.rsp:3: the line is longer than 64 MiB"));
}

TEST(cavp_file, the_last_line_may_lack_its_end) {
  std::string text = "[ENCRYPT]\n" + vector;
  text.pop_back();
  EXPECT_EQ(message_of(text), "no error, 1 cases");
}

TEST(cavp_file, every_file_of_nist_is_read_and_none_of_12828_vectors_lost) {
  std::size_t files = 0;
  std::size_t vectors = 0;
  for (const auto& entry : std::filesystem::directory_iterator(AESGATE_SOURCE_DIR "/kat/vectors")) {
    if (entry.path().extension() != ".rsp") continue;
    auto reader = TextReader::open(entry.path());
    ASSERT_TRUE(reader) << reader.error().message;
    const auto cases = parse_cavp(*reader, entry.path().filename().string());
    ASSERT_TRUE(cases) << cases.error().message;
    for (const Case& c : *cases) EXPECT_TRUE(c.validate()) << c.origin;
    ++files;
    vectors += cases->size();
  }
  EXPECT_EQ(files, 90u);
  EXPECT_EQ(vectors, 12'828u);
}

}  // namespace
}  // namespace aesgate
