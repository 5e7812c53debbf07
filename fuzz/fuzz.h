#pragma once

#include <cstddef>

#include "report/record.h"

namespace aesgate {

/// The bounded fuzz stage, a StageFunction: boundary Cases (boundary_cases.h), the same in every run, and then random
/// Cases (random_cases.h), the same for a seed, of every shape of `mode` that the plan covers, judged by both oracles.
/// A failure is reduced before it is recorded, under the seed and number of the Case that showed it. A backend that is
/// very slow runs fewer of them, with a note.
[[nodiscard]] Result<void> run_fuzz(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record);

/// Its two halves, StageFunctions too.
[[nodiscard]] Result<void> run_boundary(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record);
[[nodiscard]] Result<void> run_random(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record);

/// How many Cases a shape of this mode gets.
[[nodiscard]] std::size_t random_cases_per_shape(Mode mode, Effort effort);

}  // namespace aesgate
