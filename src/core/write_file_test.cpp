#include "core/write_file.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

namespace aesgate {
namespace {

class WriteFile : public testing::Test {
 protected:
  WriteFile() { std::filesystem::create_directories(folder); }
  ~WriteFile() override { std::filesystem::remove_all(folder); }

  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("aesgate_write_file_{}", getpid());
};

TEST_F(WriteFile, ReplacesTheWholeFileAndLeavesNothingElse) {
  const auto path = folder / "report";
  ASSERT_TRUE(write_file(path, "a longer text\n"));
  ASSERT_TRUE(write_file(path, "short\n"));
  EXPECT_EQ(read(path), "short\n");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, AReplacementIsSeenWholeOrNotAtAll) {
  const auto path = folder / "response";
  ASSERT_TRUE(write_file(path, "before"));
  const std::string piece(40'000, 'x');
  {
    FileReplacement given_up(path);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(given_up.write(piece));
    EXPECT_EQ(entries(), 2u);
    EXPECT_EQ(read(path), "before");
  }
  EXPECT_EQ(read(path), "before");
  EXPECT_EQ(entries(), 1u);
  FileReplacement file(path);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(file.write(piece));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(read(path), piece + piece + piece + piece);
  EXPECT_FALSE(file.commit());
  file.discard();
  EXPECT_EQ(read(path).size(), 160'000u);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, ADiscardedReplacementTakesNothingMore) {
  const auto path = folder / "response";
  FileReplacement file(path);
  ASSERT_TRUE(file.write("begun"));
  file.discard();
  EXPECT_EQ(entries(), 0u);
  EXPECT_FALSE(file.write(std::string(100'000, 'x')));
  EXPECT_FALSE(file.commit());
  EXPECT_EQ(entries(), 0u);
}

TEST_F(WriteFile, AReplacementKeepsItsFirstError) {
  FileReplacement nowhere(folder / "none" / "response");
  EXPECT_FALSE(nowhere.write("x"));
  const auto committed = nowhere.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().message, (folder / "none" / "response").string() + ": No such file or directory");
  FileReplacement full("/dev/full");
  EXPECT_FALSE(full.write(std::string(100'000, 'x')));
  EXPECT_EQ(full.commit().error().message, "/dev/full: No space left on device");
}

TEST_F(WriteFile, ExpectWritableChangesNothing) {
  const auto path = folder / "report";
  ASSERT_TRUE(write_file(path, "before"));
  EXPECT_TRUE(expect_writable(path));
  EXPECT_TRUE(expect_writable(folder / "other"));
  EXPECT_EQ(read(path), "before");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, SaysWhatIsWrongWithAPath) {
  const auto no_folder = expect_writable(folder / "none" / "report");
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().message, (folder / "none" / "report").string() + ": No such file or directory");
  ASSERT_FALSE(expect_writable(folder));
  EXPECT_FALSE(write_file(folder / "none" / "report", "x"));
  EXPECT_EQ(entries(), 0u);
}

TEST_F(WriteFile, ExpectWritableFolderMakesNothing) {
  EXPECT_TRUE(expect_writable_folder(folder));
  EXPECT_TRUE(expect_writable_folder(folder / "new" / "cases"));
  EXPECT_EQ(entries(), 0u);
  ASSERT_TRUE(write_file(folder / "file", "x"));
  for (const char* under : {"file", "file/", "file/cases", "file/more/cases"})
    EXPECT_FALSE(expect_writable_folder(folder / under)) << under;
  const auto no_place = expect_writable_folder("/proc/self/cases");  // nobody makes files there, not even root
  ASSERT_FALSE(no_place);
  EXPECT_EQ(no_place.error().message.rfind("/proc/self/cases: ", 0), 0u) << no_place.error().message;
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, KeepsALinkAndWhatIsNoFile) {
  std::filesystem::create_symlink(folder / "target", folder / "link");
  ASSERT_TRUE(write_file(folder / "target", "old"));
  ASSERT_TRUE(write_file(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read(folder / "target"), "new");
  EXPECT_TRUE(expect_writable("/dev/null"));
  EXPECT_TRUE(write_file("/dev/null", "gone"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto full = write_file("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message, "/dev/full: No space left on device");
}

}  // namespace
}  // namespace aesgate
