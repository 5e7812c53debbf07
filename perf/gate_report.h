#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "perf/gate_result.h"

namespace aesgate {

/// The report for a person, lines that end in "\n", at most 100 columns save for file names: for each backend the
/// verdict, every cell that is no plain pass, the rest by mode and direction, the sentinels, and what the machine was
/// like; last the verdict of all. `colour`: with ANSI escapes.
[[nodiscard]] std::string to_table(const GateReport& report, bool colour);

/// The same for a comment on a merge request: GitHub's and GitLab's Markdown.
[[nodiscard]] std::string to_markdown(const GateReport& report);

/// Every cell with the change in each launch, after json_head() (report/json_head.h). Changes are parts: 0.01 is 1%.
[[nodiscard]] nlohmann::ordered_json to_json(const GateReport& report);

/// JUnit XML: a testsuite a backend, a testcase a cell. A cell that is regressed or inconclusive, and a backend that is
/// wrong or invalid, is a <failure>: only a pass is green.
[[nodiscard]] std::string to_junit(const GateReport& report);

// For all of them.

/// "+0.12%"; "+0.12% [-0.05%, +0.31%]".
[[nodiscard]] std::string percent(double part);
[[nodiscard]] std::string text_of(const GateCell::Change& change);
/// The cells that are no plain pass, the most slowed first.
[[nodiscard]] std::vector<const GateCell*> remarkable_cells(const GateResult& result);
/// What the cells of one mode and direction come to.
struct GateGroup {
  Mode mode{};
  Direction direction{};
  std::size_t cells = 0, passed = 0;
  double least = 0, median = 0, most = 0;  // of their changes
};
[[nodiscard]] std::vector<GateGroup> groups_of(const GateResult& result);
/// "the baseline against its own copy: +0.01% …; …: +1.98% …, found".
[[nodiscard]] std::string sentinels_text(const GateResult& result);
/// "threshold 0.75%", and that of instructions.
[[nodiscard]] std::string rules_text(const GateReport& report);
/// "18 launches, 100,000 pairs, 81% calibrated: …".
[[nodiscard]] std::string conditions_text(const GateResult& result);

}  // namespace aesgate
