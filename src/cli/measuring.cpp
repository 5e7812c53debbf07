#include "cli/measuring.h"

#include <cmath>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "report/console.h"

namespace aesgate {

void with_progress(const Record& record, const std::function<void(Progress&)>& run) {
  Progress* bar = nullptr;
  // Before the bar, whose thread inherits what signals it blocks.
  const Interrupt interrupt([&](int) {
    if (bar != nullptr) bar->stop();
    print_error("interrupted; there is no result");
  });
  Progress progress(record);
  bar = &progress;
  run(progress);
}

std::vector<std::string> not_measured(const std::vector<std::string>& required, const std::vector<Measured>& results,
                                      const std::string& nothing) {
  std::vector<std::string> missing;
  for (const std::string& wanted : required) {
    std::string why = nothing;
    bool measured = false;
    for (const Measured& result : results) {
      if (result.backend != wanted) continue;
      measured = measured || result.measured;
      if (!result.why_not.empty()) why = result.why_not;
    }
    if (!measured) missing.push_back(fmt::format("{} ({})", wanted, why));
  }
  return missing;
}

std::string findings_below(const Record& record, const Plan& plan, bool colour) {
  std::vector<const Finding*> findings;
  for (const Finding& finding : record.findings()) findings.push_back(&finding);
  return findings.empty() ? "" : '\n' + findings_text(findings, plan, colour);
}

std::string roughly(double seconds) {
  if (seconds < 1) return "less than a second";
  const double whole = std::round(seconds);
  return whole == 1 ? "1 second" : fmt::format("{:.0f} s", whole);
}

}  // namespace aesgate
