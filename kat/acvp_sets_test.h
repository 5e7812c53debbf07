#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "abi/aesgate_backend.h"
#include "kat/acvp.h"

namespace aesgate::acvp {

/// A vector set of one group: `group` and `tests` are members and objects, without what encloses them.
[[nodiscard]] std::string vector_set(const std::string& algorithm, const std::string& group, const std::string& tests);

/// SP 800-38A, F.2.1 CBC-AES128.Encrypt and F.2.2 CBC-AES128.Decrypt: a test in each of two groups.
extern const char* const cbc_prompt;
extern const char* const cbc_response;

/// What an answering came to.
struct Answered {
  std::string error;  // of Files::open() or answer(); empty: the rest counts
  Answers answers;
  std::vector<Failure> failures;
  std::string response;  // empty: there is no file
};

/// A folder of its own, and aesgate acvp without the command line.
class AcvpTest : public testing::Test {
 protected:
  AcvpTest();
  ~AcvpTest() override;

  std::filesystem::path write(const std::string& file, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& file) const;
  /// `expected` is empty for none.
  Answered answer_files(const aesgate_backend& backend, const std::filesystem::path& prompt,
                        const std::filesystem::path& expected = {});
  Answered answer(const aesgate_backend& backend, const std::string& prompt, const std::string& expected = {});

  std::filesystem::path folder;
};

}  // namespace aesgate::acvp
