#include <cstdio>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "kat/scratch_vectors.h"

namespace aesgate {
namespace {

using testing::HasSubstr;

constexpr int not_installed = 3;

struct Ran {
  int status = -1;
  std::string output;
};

/// The importer's --check of a folder against what the package gives.
Ran check(const std::filesystem::path& folder) {
  const std::string command = fmt::format("'{}' -B '{}/kat/import_vectors.py' --check --to '{}' 2>&1", AESGATE_PYTHON,
                                          AESGATE_SOURCE_DIR, folder.string());
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Ran ran;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) ran.output += static_cast<char>(c);
  ran.status = WEXITSTATUS(pclose(pipe));
  return ran;
}

TEST(import_vectors, check_names_what_differs_is_missing_or_extra) {
  const ScratchVectors scratch;
  const Ran equal = check(scratch.folder());
  if (equal.status == not_installed) GTEST_SKIP() << equal.output;
  EXPECT_EQ(equal.status, 0) << equal.output;

  scratch.flip_last_bit("CBCMMT128.rsp", "CIPHERTEXT = ");
  std::filesystem::remove(scratch.folder() / "ECBMMT256.rsp");
  std::ofstream(scratch.folder() / "ECBMore128.rsp") << "more\n";
  const Ran different = check(scratch.folder());
  EXPECT_EQ(different.status, 1);
  EXPECT_THAT(different.output, HasSubstr("CBCMMT128.rsp:13: differs"));
  EXPECT_THAT(different.output, HasSubstr("ECBMMT256.rsp: missing"));
  EXPECT_THAT(different.output, HasSubstr("ECBMore128.rsp: does not belong here"));
}

}  // namespace
}  // namespace aesgate
