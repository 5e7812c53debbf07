#pragma once

#include <cstdint>
#include <optional>

#include "core/allowance.h"
#include "laws.h"
#include "report/record.h"

namespace aesgate {

/// The property stage (a StageFunction): every law of props/laws.h on every shape of the mode, in random Cases that the
/// plan's seed determines, the same ones for every backend; one that is very slow runs fewer of them, with a note. What
/// a law finds is shrunk, and the smallest Case that shows it is the finding. An Error only if RapidCheck itself gives
/// up.
[[nodiscard]] Result<void> run_props(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record);

namespace props {

/// How many tests each law gets on each shape.
[[nodiscard]] std::uint64_t tests_per_law(Effort effort);

/// The CPU time that a backend may take for the tests of one law on one shape, before fewer of them run.
[[nodiscard]] std::optional<std::chrono::milliseconds> time_per_law(const aesgate_backend& backend, Effort effort);

/// Runs `tests` tests of one law, or as many as `allowance` has room for. Every Case goes into the record once: those
/// that agree, and of a failure the shrunk Case; what shrinking tried on the way is not counted. False if there is no
/// sense in going on: the backend has become unavailable, or the oracles disagree.
[[nodiscard]] Result<bool> run_law(const Law& law, const aesgate_backend& backend, const Shape& shape,
                                   std::uint64_t tests, std::uint64_t seed, Record& record, Allowance& allowance);

}  // namespace props
}  // namespace aesgate
