#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/host.h"
#include "core/result.h"
#include "perf/calibration.h"
#include "perf/clock.h"
#include "perf/floors.h"

namespace aesgate {

// Is what is called a core cycle one? The calibration takes ADD and IMUL for its measure; here it has to find what
// other instructions are known to take, on other pipes: those that this program is about.

/// KnownWork: instructions that take a known time where each waits for the one before.
struct KnownWork {
  std::string name;                // "a chain of AESENC"
  std::string unit;                // "cycles an instruction", "cycles/byte"
  double amount = 0;               // of instructions or bytes in one run()
  std::optional<double> expected;  // of `unit`, for this core; nothing if it is not known
  double tolerance = 0;            // as a part of it
  std::function<void()> run;
};

/// On x86-64 with AES-NI: a chain of AESENC; and CBC encryption with 128 bits with the XORs folded into AESENCLAST, and
/// with two left outside of it, whose latency is measured where `aes` does not say. Empty elsewhere. `aes` may be null.
[[nodiscard]] std::vector<KnownWork> known_works(const AesUnit* aes);

/// KnownFigure: what came out.
struct KnownFigure {
  std::string name, unit;
  std::optional<double> expected;
  double tolerance = 0;
  std::optional<double> median;  // nothing if fewer than 11 samples, or a quarter, were calibrated
  double low = 0, high = 0;      // its 95% interval
  std::size_t used = 0, taken = 0;

  /// Nothing where it cannot be said.
  [[nodiscard]] std::optional<bool> holds() const;
};

/// Measures them, each for so many seconds, on the calling thread, which is pinned.
[[nodiscard]] std::vector<KnownFigure> measure_known(const std::vector<KnownWork>& works, Clock& clock,
                                                     Calibration& calibration, double seconds);

/// ClockCheck: all of it. Not measurable: an Error that says why.
struct ClockCheck {
  Host host;
  ClockDescription clock;
  std::string floors;  // floors_source()
  std::vector<KnownFigure> figures;

  /// 0: all that is known holds; 1: something does not; 3: something could not be measured, or nothing is known.
  [[nodiscard]] int exit_status() const;
};
[[nodiscard]] Result<ClockCheck> check_clock(double seconds);
[[nodiscard]] std::string to_text(const ClockCheck& check);

}  // namespace aesgate
