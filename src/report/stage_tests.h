#pragma once

#include <vector>

#include "report/record.h"

namespace aesgate {

/// main() of a stage's tests: registers one GoogleTest a backend and mode, "STAGE.BACKEND.MODE", and runs what
/// --gtest_filter leaves. With `--ctest` it prints CTest commands for them instead, with the
/// reason in the label of those whose backend is not available here.
///
/// An unavailable backend's test is skipped with the reason, unless AESGATE_REQUIRE (names between blanks or
/// commas) lists it: then it fails. AESGATE_SEED, AESGATE_EFFORT, AESGATE_VECTORS and AESGATE_CASES change the plan.
/// AESGATE_EMULATE switches emulators on (emulator/emulator.h); CTest sets it for a backend whose unit is not here but
/// can be emulated, with "emulated" in the label.
[[nodiscard]] int run_stage_tests(int argc, char** argv, const char* stage, StageFunction run,
                                  const std::vector<const aesgate_backend*>& backends);

}  // namespace aesgate
