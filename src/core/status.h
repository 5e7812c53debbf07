#pragma once

#include <string>
#include <string_view>

#include "abi/aesgate_backend.h"

namespace aesgate {

/// What a backend said: the statuses of aesgate_backend.h.
enum class Status : int {
  ok = AESGATE_OK,
  unsupported = AESGATE_UNSUPPORTED,
  unavailable = AESGATE_UNAVAILABLE,
  bad_argument = AESGATE_BAD_ARGUMENT,
  failed = AESGATE_FAILED
};

/// "ok", "unsupported", …; and for a number that the interface does not have, "status 17".
[[nodiscard]] std::string name(Status status);

/// What judge() makes of an Outcome. Only `agree` is a pass; the others are different answers to
/// different questions and are never added up.
enum class Verdict {
  agree,        // the output, the chaining values and the memory are what the oracles say
  mismatch,     // something differs: the Judgement says what
  unsupported,  // this backend never does this shape
  unavailable,  // it would, but not on this machine
  failed,       // the backend answered with an error
  crashed,      // a signal while the backend ran
  timed_out,    // the backend did not come back
  declined,     // the stage chose not to run it
  fell_back,    // right, but by another unit than the one asked for
  unproven      // right, but what ran is not known and proof was required
};
inline constexpr std::size_t verdict_count = 10;

/// "agree", "mismatch", …, "timed out", "fell back", "unproven".
[[nodiscard]] std::string_view name(Verdict verdict);

/// Did the backend come to no answer, by its own fault: failed, crashed or timed out?
[[nodiscard]] bool is_without_answer(Verdict verdict);

/// Is this a failure of the backend, as against a reason not to run it?
[[nodiscard]] bool is_failure(Verdict verdict);

}  // namespace aesgate
