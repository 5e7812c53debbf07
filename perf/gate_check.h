#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/result.h"
#include "perf/update_loop.h"
#include "report/record.h"

namespace aesgate {

/// Executes a Case of each workload, the same one for every backend, and has the oracles judge it: `record` gets the
/// verdicts under Suite::perf. Two backends that pass give the same outputs. Calls `progress`, if any, before each
/// Case. An Error: oracles that disagree.
[[nodiscard]] Result<void> check_workloads(const aesgate_backend& backend, const std::vector<Workload>& workloads,
                                           std::uint64_t seed, Record& record,
                                           const std::function<void()>& progress = {});

/// Those of `workloads` that `backend` supports.
[[nodiscard]] std::vector<Workload> supported_workloads(const aesgate_backend& backend,
                                                        const std::vector<Workload>& workloads);

}  // namespace aesgate
