#include "core/memory_file.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/write_file.h"

namespace aesgate {
namespace {

TEST(MemoryFile, HoldsWhatWasWrittenAndCanBeOpenedByItsPath) {
  const MemoryFile file("some text\n");
  EXPECT_GE(file.descriptor(), 10);
  EXPECT_EQ(write_all(file.descriptor(), std::string(100'000, 'x')), 0);
  EXPECT_EQ(file.text(), "some text\n" + std::string(100'000, 'x'));
  std::ifstream stream(file.path());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), file.text());
}

TEST(MemoryFile, IsGoneWithItsObject) {
  std::string path;
  {
    const MemoryFile file;
    path = file.path();
    EXPECT_EQ(access(path.c_str(), R_OK), 0);
    EXPECT_EQ(file.text(), "");
  }
  EXPECT_NE(access(path.c_str(), R_OK), 0);
}

}  // namespace
}  // namespace aesgate
