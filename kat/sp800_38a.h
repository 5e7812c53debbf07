#pragma once

#include <vector>

#include "core/case.h"

namespace aesgate {

/// The example vectors of SP 800-38A, appendix F.1 to F.4, of one mode: three key sizes, both directions, each once in
/// one call and once in a call for every segment.
[[nodiscard]] std::vector<Case> sp800_38a_cases(Mode mode);

}  // namespace aesgate
