#pragma once

#include "report/record.h"

namespace aesgate {

/// The known-answer stage, for one backend and mode: NIST's CAVP vectors (plan.vectors), FIPS-197 appendices B and C,
/// SP 800-38A appendix F, and the Monte Carlo test of AESAVS 6.4, in the key sizes of the plan. A StageFunction.
///
/// The Monte Carlo test has 100 steps of 1000 calls, in Effort::quick the first 2; a backend that needed
/// more than 5 ms for each of the first 10 stops there in Effort::normal. Where it was shortened, the record has a
/// note.
[[nodiscard]] Result<void> run_kat(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record);

/// Judges the oracles before anything else: both must give what is published for each mode and key size of the plan.
/// Where one does not, the record has an oracle failure, and no verdict on a backend can be believed; where both give
/// the same other value, the record says that the vector is suspect.
[[nodiscard]] Result<void> judge_oracles(const Plan& plan, Record& record);

}  // namespace aesgate
