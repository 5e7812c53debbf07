#pragma once

#include <vector>

#include "report/record.h"

namespace aesgate {

/// Stage: a part of verify that is a command too.
struct Stage {
  const char* name;
  StageFunction run;
  std::vector<Suite> suites;  // the evidence that it gives
};

[[nodiscard]] const Stage& kat_stage();
[[nodiscard]] const Stage& props_stage();
[[nodiscard]] const Stage& fuzz_stage();

}  // namespace aesgate
