#pragma once

#include <string>

#include "perf/perf_report.h"

namespace aesgate {

// Charts as SVG 1.1, of their own: no script, no font, nothing fetched. Colours follow the reader's light or dark
// scheme (prefers-color-scheme) and are those of Okabe and Ito, which people who see few colours can tell apart; dashes
// and markers tell the same once more. Axes carry their units.

/// Core cycles a byte against bytes a call, both logarithmic: a panel for each shape and placement, a line for each
/// backend, and the floors that are known. Cells that have no
/// cycles are left out, which the heading says; if that were half of them, the chart is in nanoseconds a byte, without
/// floors.
[[nodiscard]] std::string to_svg(const PerfReport& report);

/// The bars of VIA's profile (via_profile.h).
[[nodiscard]] std::string to_via_svg(const PerfReport& report);

}  // namespace aesgate
