#include "kat/cavp_folder.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kat/scratch_vectors.h"

namespace aesgate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string message_of(const std::filesystem::path& folder, Mode mode = Mode::cbc) {
  const auto cases = read_vectors(folder, mode);
  return cases ? fmt::format("no error, {} cases", cases->size()) : cases.error().message;
}

TEST(cavp_folder, the_published_folder_has_90_files_and_12828_vectors) {
  const auto files = list_vector_files(published_vectors);
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->size(), 90u);
  std::size_t vectors = 0;
  for (const Mode mode : all_modes) {
    const auto cases = read_vectors(published_vectors, mode);
    ASSERT_TRUE(cases) << cases.error().message;
    for (const Case& c : *cases) EXPECT_EQ(c.shape.mode, mode) << c.origin;
    vectors += cases->size();
  }
  EXPECT_EQ(vectors, 12'828u);
}

TEST(cavp_folder, a_lost_file_is_an_error_in_every_mode) {
  const ScratchVectors scratch;
  std::filesystem::remove(scratch.folder() / "OFBMMT192.rsp");
  for (const Mode mode : all_modes)
    EXPECT_THAT(message_of(scratch.folder(), mode), HasSubstr("OFBMMT192.rsp: the file is missing"));
}

TEST(cavp_folder, a_file_that_is_not_listed_is_an_error) {
  const ScratchVectors scratch;
  std::filesystem::copy_file(scratch.folder() / "CBCMMT128.rsp", scratch.folder() / "CBCMore128.rsp");
  EXPECT_THAT(message_of(scratch.folder()), HasSubstr("CBCMore128.rsp: not in SHA256SUMS"));
}

TEST(cavp_folder, a_malformed_file_is_an_error_that_names_the_line) {
  const ScratchVectors scratch;
  scratch.replace("CBCMMT128.rsp", "KEY = 1f8e", "KEY = 1f8");
  EXPECT_THAT(message_of(scratch.folder()), HasSubstr("CBCMMT128.rsp:10: KEY: 31 hexadecimal digits, an odd number"));
  EXPECT_THAT(message_of(scratch.folder(), Mode::ecb), StartsWith("no error"));
}

TEST(cavp_folder, the_list_itself_is_checked) {
  const ScratchVectors scratch;
  const auto list = scratch.folder() / checksum_list;
  const auto message_with = [&](const std::string& line) {
    std::ofstream(list) << line;
    return message_of(scratch.folder());
  };
  const std::string digits(64, '0');
  EXPECT_THAT(message_with(""), HasSubstr("SHA256SUMS: it lists no file"));
  EXPECT_THAT(message_with("CBCMMT128.rsp\n"), HasSubstr("SHA256SUMS:1: \"CBCMMT128.rsp\" is no line of sha256sum"));
  EXPECT_THAT(message_with(digits + "  ../CBCMMT128.rsp\n"),
              HasSubstr("SHA256SUMS:1: ../CBCMMT128.rsp: a file in ano"));
  EXPECT_THAT(message_with(digits + "  CTRMMT128.rsp\n"),
              HasSubstr("SHA256SUMS:1: CTRMMT128.rsp: the name begins wit"));
  std::filesystem::remove(list);
  EXPECT_THAT(message_of(scratch.folder()), HasSubstr("SHA256SUMS: No such file"));
}

TEST(cavp_folder, a_shape_without_a_vector_is_an_error) {
  const ScratchVectors scratch;
  std::ofstream(scratch.folder() / checksum_list) << std::string(64, '0') << "  CBCMMT128.rsp\n";
  for (const auto& entry : std::filesystem::directory_iterator(scratch.folder()))
    if (entry.path().extension() == ".rsp" && entry.path().filename() != "CBCMMT128.rsp")
      std::filesystem::remove(entry.path());
  EXPECT_THAT(message_of(scratch.folder()), HasSubstr("no vector for CBC encrypt 192"));
}

}  // namespace
}  // namespace aesgate
