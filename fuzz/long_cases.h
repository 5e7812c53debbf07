#pragma once

#include <vector>

#include "core/case.h"

namespace aesgate {

/// Messages whose lengths do not fit into 31 and into 32 bits, in one call each (Case::repeated_to), the same in every
/// run; of deep effort, since they take minutes. For one key size, which a length has nothing to do with; in CFB1 and
/// CFB8, where each segment is a cipher call, encryption alone. Empty for other shapes.
[[nodiscard]] std::vector<Case> long_cases(const Shape& shape);

}  // namespace aesgate
