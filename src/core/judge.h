#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/case.h"
#include "core/execute.h"
#include "core/status.h"

namespace aesgate {

/// Answer: what the oracles say that a Case's output is (oracle/oracle.h).
struct Answer {
  Bytes output;
};

/// Difference: the first byte that is not what it should be.
struct Difference {
  std::string field;      // "output", "chaining value after 48 bytes", "byte after the output", …
  std::ptrdiff_t offset;  // in bytes
  std::uint8_t expected;
  std::uint8_t found;
};

/// Judgement: a verdict and, for all but `agree`, why in one line for a person. The warnings are no part of the
/// verdict.
struct Judgement {
  Verdict verdict = Verdict::agree;
  std::string reason;
  std::optional<Difference> difference;
  Warnings warnings = {};
};

/// Compares what a backend did with a Case against the vector it came from, the oracles' answer, the
/// chaining values that follow from the data, and the interface's rules about memory. The one place
/// in which results are compared.
[[nodiscard]] Judgement judge(const Case& c, const Outcome& outcome, const Answer& answer);

}  // namespace aesgate
