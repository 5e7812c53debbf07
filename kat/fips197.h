#pragma once

#include <vector>

#include "core/case.h"

namespace aesgate {

/// The results of FIPS-197, appendices B and C.1 to C.3, in both directions, as Cases of one block in ECB: what a
/// backend can be asked. The values on the way there, and the key expansions of appendix A, judge the oracle
/// (round_values_test.cpp).
[[nodiscard]] std::vector<Case> fips197_cases();

}  // namespace aesgate
