#pragma once

#include <optional>

#include "explain/speed_run.h"

namespace aesgate::explain {

/// Fit: the straight line through the times of calls: seconds = setup + per_byte × bytes.
struct Fit {
  double setup = 0;           // seconds a call
  double per_byte = 0;        // seconds
  double setup_error = 0;     // two standard errors of each, from the scatter about the line or, if that is more, the
  double per_byte_error = 0;  // step of the times in the text
  double worst = 0;           // the largest distance from the line, as a part of the time
  std::size_t sizes = 0;

  /// Do all times lie within a tenth of the line? Else set-up and cost a byte are a summary, and nothing follows
  /// from them.
  [[nodiscard]] bool straight() const { return worst <= 0.1; }
  /// Is the set-up more than its error?
  [[nodiscard]] bool has_setup() const { return setup > setup_error; }
};

/// Weighted so that each size counts by its relative error, since times go over three orders of magnitude. In elapsed
/// time, where it follows from the text, unless `by_clock`: then as the text has it. Nothing for fewer than three
/// sizes.
[[nodiscard]] std::optional<Fit> fit(const SpeedRun& run, bool by_clock = false);

}  // namespace aesgate::explain
