#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host.h"
#include "core/result.h"
#include "perf/gate_result.h"
#include "perf/update_loop.h"

namespace aesgate {

// What `aesgate perf --json` saved, as a baseline. It is one launch of one day: where the loader put it then is in its
// figures, and nothing of that day can be measured again. So it shows less than two plugins side by side (gate.h).

/// SavedCell: a cell of a saved report, of buffers that begin on a page.
struct SavedCell {
  std::string backend;
  Workload workload;
  std::string reason;        // why it was not timed, or has no core cycles; empty if it has them
  bool wrong = false;        // it was not timed because the backend was wrong
  double cycles_a_byte = 0;  // the median
  double spread = 0;         // the width of the middle half of its samples against the median
};

/// SavedReport: the parts of perf's JSON that a comparison needs.
struct SavedReport {
  /// What has to be the same there and here, by name: "CPU", "system", ….
  std::vector<std::pair<std::string, std::string>> machine;
  double nanoseconds_per_unit = 0;  // of the clock
  std::string window;               // "clean", "contended", "unknown"
  std::vector<SavedCell> cells;

  [[nodiscard]] std::vector<std::string> backends() const;  // each once, in order
};

/// An Error: it is no JSON, or none that this version's `aesgate perf` writes.
[[nodiscard]] Result<SavedReport> read_saved_report(std::string_view text);

/// The parts of SavedReport::machine that are known before anything is timed.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> machine_of(const Host& host);

/// "CPU: \"A\" there, \"B\" here"; empty if all that both know is the same, and the rates of their clocks, if both are
/// known, are within 0.1%.
[[nodiscard]] std::string why_not_comparable(const SavedReport& saved, const SavedReport& here);

struct SavedRules {
  double threshold = 0.0075;

  /// Two launches of one file differ by as much as this, and by as many cycles a call, without any reason: a call of
  /// ten cycles took a fifth more in the next launch. So a saved one supports no smaller threshold than both, and the
  /// cell's own spread, together.
  static constexpr double least_threshold = 0.03;
  static constexpr double launch_cycles = 3;

  /// The threshold that a cell gets.
  [[nodiscard]] double supported(const SavedCell& cell) const;
};

/// Launches that measured the candidate, for one saved baseline.
inline constexpr std::size_t launches_for_saved = 3;

/// The cells of one backend of `saved`, against launches of the candidate. A cell is regressed if it was slower than
/// its supported threshold allows in all of them, passes if in none, and is open otherwise, or where core cycles are
/// not known on one side. There are no sentinels.
[[nodiscard]] GateResult compare_with_saved(const SavedReport& saved, const std::string& backend,
                                            const std::vector<SavedReport>& launches, const SavedRules& rules);

}  // namespace aesgate
