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

std::string ScratchVectors::read(const std::string& file) const {
  std::ostringstream content;
  content << std::ifstream(folder_ / file).rdbuf();
  return content.str();
}

void ScratchVectors::replace(const std::string& file, const std::string& from, const std::string& to) const {
  std::string text = read(file);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " is not in " << file;
  text.replace(at, from.size(), to);
  std::ofstream(folder_ / file) << text;
}

void ScratchVectors::flip_last_bit(const std::string& file, const std::string& front) const {
  const std::string text = read(file);
  const std::size_t at = text.find(front);
  ASSERT_NE(at, std::string::npos) << front << " is not in " << file;
  const std::string line = text.substr(at, text.find('\n', at) - at);
  const std::string digits = "0123456789abcdef";
  std::string flipped = line;
  flipped.back() = digits[digits.find(line.back()) ^ 1];
  replace(file, line, flipped);
}

}  // namespace aesgate
