#include "perf/gate_result.h"

#include <algorithm>
#include <array>

namespace aesgate {

std::string_view name(GateVerdict verdict) {
  static constexpr std::array<std::string_view, 5> names{"PASS", "REGRESSED", "INCONCLUSIVE", "INVALID", "WRONG"};
  return names[static_cast<std::size_t>(verdict)];
}

int exit_status(GateVerdict verdict) {
  static constexpr std::array<int, 5> statuses{0, 1, 3, 3, 1};
  return statuses[static_cast<std::size_t>(verdict)];
}

std::size_t GateResult::count(GateVerdict of) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cells, [of](const GateCell& cell) { return cell.verdict == of; }));
}

GateVerdict GateReport::verdict() const {
  using enum GateVerdict;
  for (const GateVerdict worst : {wrong, regressed, invalid, inconclusive})
    if (std::ranges::any_of(results, [worst](const GateResult& result) { return result.verdict == worst; }))
      return worst;
  return results.empty() ? invalid : pass;
}

}  // namespace aesgate
