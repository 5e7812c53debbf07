#include "perf/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "perf/statistics.h"

namespace aesgate {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= Calibration::tolerance * std::min(a, b); }

double mean(const Reading& reading) { return (reading.first + reading.second) / 2; }

}  // namespace

Calibration::Calibration(Clock& clock, CalibrationProbes probes) : clock_(clock), probes_(std::move(probes)) {}

double Calibration::time(const Probe& probe) {
  const std::uint64_t start = clock_.start();
  probe.run();
  const std::uint64_t stop = clock_.stop();
  return (static_cast<double>(stop - start) - clock_.description().overhead) / probe.amount;
}

Reading Calibration::read() {
  Reading reading;
  reading.first = time(probes_.first_chain);
  reading.second = time(probes_.second_chain);
  reading.width = time(probes_.width);
  return reading;
}

std::optional<Calibrated> Calibration::between(const Reading& before, const Reading& after) const {
  const bool positive = before.first > 0 && before.second > 0 && after.first > 0 && after.second > 0;
  if (!positive || before.width <= 0 || after.width <= 0) return std::nullopt;
  if (!near(before.first, before.second) || !near(after.first, after.second)) return std::nullopt;
  if (!near(mean(before), mean(after))) return std::nullopt;
  double units_per_cycle = (mean(before) + mean(after)) / 2;
  if (clock_.description().counts_core_cycles) {
    if (!near(units_per_cycle, 1)) return std::nullopt;
    units_per_cycle = 1;
  }
  return Calibrated{units_per_cycle, units_per_cycle / std::max(before.width, after.width)};
}

double best_width(std::vector<double> widths) {
  if (widths.empty()) return 0;
  std::ranges::sort(widths);
  return quantile(widths, 0.99);
}

}  // namespace aesgate
