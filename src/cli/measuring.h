#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan.h"
#include "report/progress.h"
#include "report/record.h"

namespace aesgate {

// What the ways of `aesgate perf` have in common: a run that gives a result at its end or none, and what is said below
// it.

/// Calls `run` with a bar that is shown meanwhile. A signal that ends the program takes the bar away and says that
/// there is no result.
void with_progress(const Record& record, const std::function<void(Progress&)>& run);

/// One result of a backend, as far as --require asks: was it measured, and if not, why.
struct Measured {
  std::string backend;
  bool measured = false;
  std::string why_not;  // empty if nothing is known
};

/// Those of `required` of which `results` have none that was measured, each with the last reason, or with `nothing`:
/// "padlock (unavailable: no such unit)".
[[nodiscard]] std::vector<std::string> not_measured(const std::vector<std::string>& required,
                                                    const std::vector<Measured>& results, const std::string& nothing);

/// The findings after an empty line; nothing if there are none.
[[nodiscard]] std::string findings_below(const Record& record, const Plan& plan, bool colour);

/// "less than a second", "1 second", "12 s", rounded.
[[nodiscard]] std::string roughly(double seconds);

}  // namespace aesgate
