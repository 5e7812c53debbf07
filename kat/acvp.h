#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/write_file.h"
#include "kat/acvp_expected.h"
#include "kat/acvp_prompt.h"
#include "report/record.h"

namespace aesgate::acvp {

/// Files: a vector set, and what is expected of it if that is known, both read from end to end and well formed.
struct Files {
  std::unique_ptr<Source> prompt_source, expected_source;
  Prompt prompt;
  std::optional<ExpectedFile> expected;

  /// `expected` is empty if there is none.
  [[nodiscard]] static Result<Files> open(const std::filesystem::path& prompt, const std::filesystem::path& expected);
};

/// Failure: a test whose answer is wrong, or is not what is expected.
struct Failure {
  std::uint64_t tc_id = 0;
  bool unexpected = false;  // by the file of expected results; else by judge()
  std::string what;         // in one line
};

/// Answers: how the tests of a vector set went.
struct Answers {
  std::uint64_t agree = 0;                     // with both oracles
  std::uint64_t failed = 0;                    // not right, or no answer, or no answer by the oracles
  std::uint64_t not_run = 0;                   // unsupported or unavailable
  std::string why_not_run;                     // the first reason: "unsupported: …"
  std::uint64_t expected = 0, unexpected = 0;  // beside what is expected: the same; another, or missing on one side
  bool written = false;                        // the response

  /// 1 if anything is wrong, else 3 if anything was not run, else 0.
  [[nodiscard]] int exit_status() const;
};

/// Has `backend` answer all tests, each judged like any Case (Suite::acvp in `record`): a functional test is one, a
/// Monte Carlo test a hundred, each made from the backend's own answer to the one before; the first that fails ends
/// its test. `on_failure` gets every tcId that is wrong.
///
/// The response goes to `out`, and is there if and only if the exit status is 0: what is wrong, or lacks an answer, is
/// no response to send, and a file that is there can be relied on. An Error is one of `out`, or a file that changed
/// since it was opened.
[[nodiscard]] Result<Answers> answer(const Files& files, const aesgate_backend& backend, FileReplacement& out,
                                     Record& record, const std::function<void(const Failure&)>& on_failure);

}  // namespace aesgate::acvp
