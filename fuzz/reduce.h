#pragma once

#include <cstddef>
#include <functional>

#include "core/case.h"

namespace aesgate {

/// StillFails: does this Case fail like the one that is reduced?
using StillFails = std::function<bool(const Case&)>;

/// The smallest Case that reduce() finds of the same shape for which `still_fails` holds, as it does for `c`: fewer
/// calls, a shorter message, buffers at a page's start and not in place, no conditions, zeros. The same Case always
/// gives the same one. `still_fails` sees valid Cases only, and at most `most_tries` of them. A Monte Carlo loop or a
/// published answer are not looked into: such a Case comes back as it is.
[[nodiscard]] Case reduce(const Case& c, const StillFails& still_fails, std::size_t most_tries = 2000);

}  // namespace aesgate
