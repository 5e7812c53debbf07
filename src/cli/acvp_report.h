#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "kat/acvp.h"
#include "report/record.h"

namespace aesgate {

/// AcvpReport: what `aesgate acvp` has to say when it is done, as text and as JSON.
struct AcvpReport {
  /// The failures that JSON lists; the console has each as it comes.
  static constexpr std::size_t most_failures = 1000;

  std::string prompt, expected, out;  // files
  const acvp::Files* files = nullptr;
  const aesgate_backend* backend = nullptr;
  const Plan* plan = nullptr;
  std::string why_unavailable;  // not empty: nothing was asked
  acvp::Answers answers;
  std::vector<acvp::Failure> failures;  // the first of them
  double seconds = 0;

  [[nodiscard]] std::uint64_t tests() const;
  [[nodiscard]] int exit_status() const;
  /// "PASS: …", without the time.
  [[nodiscard]] std::string sentence(const Record& record) const;
  /// What members were not looked at.
  [[nodiscard]] std::vector<std::string> notes() const;
};

/// "ACVP-AES-CBC 1.0, vector set 42: 2,150 functional and 6 Monte Carlo tests in 42 groups", and a line end.
[[nodiscard]] std::string acvp_headline(const acvp::Prompt& prompt);

/// The lines of a failure: "FAIL tcId 35: …".
[[nodiscard]] std::string to_text(const acvp::Failure& failure, const std::string& expected);

/// What comes after them.
[[nodiscard]] std::string to_text(const AcvpReport& report, const Record& record);

/// The run as JSON, UTF-8, ended by a line feed:
///
///     {… what json_head() has …,
///      "prompt": "prompt.json", "algorithm": "ACVP-AES-CBC", "revision": "1.0", "vs_id": 42, "groups": 42,
///      "functional_tests": 2150, "monte_carlo_tests": 6,
///      "backend": {"name", "kind", "unit", "emulated", "reason": "" (why it is unavailable)},
///      "tests": {"agree" (with the oracles), "failed", "not_run", "why_not_run"},
///      "expected": {"file", "equal", "different"} or null,
///      "failures": [{"tc_id", "against": "oracles" or "expected", "what"}, … the first 1000],
///      "case_files": ["…"], "notes": ["…"], "response": "response.json" or null, "seconds": 1.2,
///      "sentence": "PASS: …", "exit_status": 0}
[[nodiscard]] std::string to_json(const AcvpReport& report, const Record& record);

}  // namespace aesgate
