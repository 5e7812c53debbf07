#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace aesgate {

/// What a run of the program left behind.
struct Ran {
  int status = -1;  // -1: it did not exit by itself
  std::string out, err;
};

/// The tests of the command line: each in a folder of its own, in which the program runs.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs aesgate with `arguments` and `variables` ("NAME=VALUE") in its environment, which has no other AESGATE_*;
  /// standard output goes to `out_file` if that is not empty.
  Ran run(std::vector<std::string> arguments, const std::vector<std::string>& variables = {},
          const std::string& out_file = {});

  void write(const std::string& file, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& file) const;

  /// The names of the files in the folder, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

  /// A .case of FIPS-197 appendix C.1, with the given fields in front and `expected`.
  [[nodiscard]] static std::string appendix_c1(const std::string& fields, const std::string& expected);

  static constexpr const char* ciphertext = "69c4e0d86a7b0430d8cdb78070b4c55a";

  std::filesystem::path folder;
};

}  // namespace aesgate
