#pragma once

#include <string>

#include "report/summary.h"

namespace aesgate {

/// The closing report of a run for a person, at most 100 columns wide save for paths and names that are longer: the
/// matrix of backends and modes, in each cell the number of Cases that agree, "FAIL failures/cases", or
/// "-"; a letter stands for a reason listed below. Then the same by kind of evidence, notes, a block for
/// each failure, and last the verdict with seed and time. ASCII, save for what backends and paths bring
/// along. `colour`: with ANSI escapes.
[[nodiscard]] std::string to_console(const Summary& summary, const Record& record, bool colour);

/// The blocks of the findings, the first dozen of them, each with what replays it.
[[nodiscard]] std::string findings_text(const std::vector<const Finding*>& findings, const Plan& plan, bool colour);

}  // namespace aesgate
