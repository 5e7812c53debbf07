#include "kat/scratch_vectors.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace aesgate {

ScratchVectors::ScratchVectors() {
  std::string name = testing::TempDir() + "aesgate_vectors_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) std::abort();
  folder_ = name;
  std::filesystem::copy(published_vectors, folder_);
}

ScratchVectors::~ScratchVectors() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void ScratchVectors::replace(const std::string& file, const std::string& from, const std::string& to) const {
  std::ostringstream content;
  content << std::ifstream(folder_ / file).rdbuf();
  std::string text = content.str();
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " is not in " << file;
  text.replace(at, from.size(), to);
  std::ofstream(folder_ / file) << text;
}

}  // namespace aesgate
