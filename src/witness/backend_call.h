#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/shape.h"
#include "witness/call_counts.h"
#include "witness/call_kind.h"
#include "witness/claim.h"

namespace aesgate::witness {

/// CallEvidence: one call of update() that was single-stepped, without the key's set-up.
struct CallEvidence {
  enum class End : std::uint8_t {
    complete,   // seen from its first instruction to its last
    cut_short,  // after as many instructions as were to be stepped
    unseen      // `reason` says why
  };
  End end = End::unseen;
  std::string reason;
  std::size_t blocks = 0;        // that the mode needs for the call
  std::size_t least_blocks = 0;  // of those, what the call must do itself: in CFB and OFB, start() can do the first
  std::size_t rounds = 0;        // of a block: 10, 12 or 14
  bool right = false;            // what a complete call gave out is what FIPS-197 and SP 800-38A say
  CallCounts counts;
  ByWidth matched{};  // blocks whose state before the last round is what an AESENCLAST or AESDECLAST was given
  std::uint64_t steps_since_match = 0;  // after the last of those, or all, if there was none
  std::string first_aes_place;  // of the first AES instruction, where there should be none: "f (libx.so.3+0x1234)"
};

/// FurtherCall: a call of another kind, with a look at how it begins.
struct FurtherCall {
  CallKind kind;
  CallEvidence call;
};

/// ShapeEvidence: what was seen of a shape.
struct ShapeEvidence {
  std::size_t shape = 0;  // place in all_shapes()
  CallEvidence call;
  std::optional<CallEvidence> long_call;  // where the first one does not tell all; cut short, mostly
  std::vector<FurtherCall> further_calls;
};

/// Steps of calls: how many there may be.
struct StepBudget {
  std::uint64_t left = 0;       // in all; when they are used up, a call gets `least`
  std::uint64_t most = 0;       // in one call
  std::uint64_t least = 400;    // in one call
  std::uint64_t beginning = 0;  // of a long call, to see how it begins
  std::uint64_t further = 0;    // in a further call in which what is claimed has begun; 0: there are no further calls
};

/// Makes a message of the shape twice, the first time at full speed, in this process: what is set up once is set up
/// then. The second time is stepped in a child, and may take `limit`. Throws std::system_error, std::bad_alloc.
[[nodiscard]] ShapeEvidence witness_shape(const aesgate_backend& backend, std::size_t shape, StepBudget& budget,
                                          std::chrono::seconds limit);

/// The same with a call of another kind. One in which nothing of what is claimed comes gets `budget.most` steps.
[[nodiscard]] FurtherCall witness_further(const aesgate_backend& backend, std::size_t shape, const CallKind& kind,
                                          StepBudget& budget, std::chrono::seconds limit);

/// Has a claim something that has to run in each call, whatever its kind: AES instructions, GFNI's or a unit's?
[[nodiscard]] bool is_of_all_calls(Claim claim);

}  // namespace aesgate::witness
