#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "perf/perf_report.h"

namespace aesgate {

/// The report as text for a person, lines that end in "\n".
[[nodiscard]] std::string to_table(const PerfReport& report);

/// The same facts, after json_head() (report/json_head.h). Keys carry their unit; clock_units are what clock.unit says.
/// `raw`: with every sample. README.md has the fields.
[[nodiscard]] nlohmann::ordered_json to_json(const PerfReport& report, bool raw = false);

}  // namespace aesgate
