#pragma once

#include "perf/perf_report.h"

namespace aesgate {

/// Fills report.series from report.results, which are evaluated: a series for each backend, shape and placement, in the
/// order of the results, with its lines, and its ratio to the fastest. Key set-ups are the caller's.
void make_series(PerfReport& report);

}  // namespace aesgate
