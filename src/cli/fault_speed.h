#pragma once

#include "abi/aesgate_backend.h"
#include "cli/fault_stages.h"
#include "core/result.h"

namespace aesgate {

/// The column of the faults that are slow and not wrong: times calls of `backend` and of `twin` in pairs, as the gate
/// does, in this process, in every mode that has a parallel path, of one block, of two and of 16 KiB, in place and not.
/// Caught: one kind of call that takes a quarter longer, three times out of three, by the median of the pairs. That is
/// for the machine with other work on it that this runs on; aesgate gate measures how much slower.
[[nodiscard]] Result<Seen> compare_with_twin(const aesgate_backend& backend, const aesgate_backend& twin);

}  // namespace aesgate
