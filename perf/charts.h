#pragma once

#include <string>

#include "perf/perf_report.h"

namespace aesgate {

// Charts as SVG 1.1, of their own: no script, no font, nothing fetched. Colours follow the reader's light or dark
// scheme (prefers-color-scheme) and are those of Okabe and Ito, which people who see few colours can tell apart; dashes
// and markers tell the same once more. Axes carry their units.

/// Core cycles a byte against bytes a call, both logarithmic: a panel for each shape and placement, a line for each
/// backend with its name at the right end, and the floors that are known. The legend has the fastest first. A line has
/// a gap, marked by "?", where a cell has no figure: it was not timed, or has no cycles. If half of all have no cycles,
/// the chart is in nanoseconds a byte, without floors.
[[nodiscard]] std::string to_svg(const PerfReport& report);

/// The bars of VIA's profile (via_profile.h).
[[nodiscard]] std::string to_via_svg(const PerfReport& report);

}  // namespace aesgate
