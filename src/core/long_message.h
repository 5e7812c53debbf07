#pragma once

#include "core/call_note.h"
#include "core/case.h"
#include "core/execute.h"

namespace aesgate {

/// Drives a backend through a valid Case with repeated_to: the message in one call of update(), and then once more in
/// calls of at most 1 MiB, which other Cases judge. The last 4 MiB of output and the chaining value must be the same:
/// an oracle would take hours for a message that only needs to be long. Input and output are RepeatedPages of their
/// own, or the same in place. `declined` where there are not so many addresses.
[[nodiscard]] Outcome execute_repeated(const aesgate_backend& backend, const Case& c, CallNote* note);

}  // namespace aesgate
