#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/status.h"
#include "perf/update_loop.h"

namespace aesgate {

/// CountOptions: what is too long to be stepped through, at some 20 microseconds an instruction.
struct CountOptions {
  std::size_t most_instructions = 50'000;  // of a call
  bool twice = true;  // false: what differs from time to time is not found, and it takes half the time
};

/// CountedCall: the instructions that one call of update() executes, from its first to the one that returns, whatever
/// libraries it calls included. No clock has a part in it.
struct CountedCall {
  /// `agree`: it was counted twice, unless only once was asked for, and both times every instruction was the same one.
  /// Else it has no count and `reason` says why: failed or crashed, by the backend; declined, since it takes too long;
  /// unproven, since the two differ; unavailable, where nothing can be stepped.
  Verdict verdict = Verdict::agree;
  std::string reason;

  std::size_t instructions = 0;
  std::size_t aes_instructions = 0;  // of those, the ones that are AES proper: rounds, key schedule

  /// What was executed, as SharedTrace::entries() (witness/shared_trace.h): addresses of code in this process, each
  /// followed by those that it touched.
  std::vector<std::uint64_t> trace;

  [[nodiscard]] bool counted() const { return verdict == Verdict::agree; }
  /// The addresses of the instructions alone, in the order in which they were executed.
  [[nodiscard]] std::vector<std::uint64_t> code() const;
};

/// Counts a call in the midst of a message, after a few that warm up what the first call of a backend or of a library's
/// function does. Of a backend that can be called in this process, is available and supports the shape. The calls run
/// in forked children, which a crash ends alone.
[[nodiscard]] CountedCall count_instructions(const aesgate_backend& backend, const Workload& workload,
                                             const CountOptions& options = {});

/// Why the instructions of this backend are not those that its AES takes: it is in the kernel, or is emulated. Empty if
/// they are.
[[nodiscard]] std::string why_not_countable(const aesgate_backend& backend);

}  // namespace aesgate
