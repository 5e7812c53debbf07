#include "perf/perf_report.h"

#include <algorithm>
#include <array>

namespace aesgate {

std::string_view name(Window window) {
  static constexpr std::array<std::string_view, 3> names{"clean", "contended", "unknown"};
  return names[static_cast<std::size_t>(window)];
}

double PerfReport::agreement() const {
  return samples_taken == 0 ? 0 : static_cast<double>(samples_agreed) / static_cast<double>(samples_taken);
}

bool PerfReport::has_failure() const {
  return std::ranges::any_of(results, [](const PerfResult& result) { return is_failure(result.verdict); });
}

bool PerfReport::has_below_floor() const {
  return std::ranges::any_of(results, &PerfResult::below_floor) ||
         std::ranges::any_of(series, &PerfSeries::below_floor);
}

std::size_t PerfReport::timed() const {
  return static_cast<std::size_t>(std::ranges::count_if(results, &PerfResult::timed));
}

int exit_status(const PerfReport& report) {
  if (report.has_failure()) return 1;
  return report.timed() > 0 && !report.has_below_floor() ? 0 : 3;
}

}  // namespace aesgate
