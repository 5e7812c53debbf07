// perf_tests: the stage's test program, one CTest test a backend and mode. Machines that test are noisy, so it
// judges that a figure came out, not which.

#include <cmath>

#include "core/registry.h"
#include "perf/perf.h"
#include "perf/perf_formats.h"
#include "perf/sampler.h"
#include "report/stage_tests.h"

namespace {

using namespace aesgate;

Result<void> check(const PerfResult& result) {
  if (!result.timed()) return {};  // the record has it
  for (const double figure : {result.units_per_byte.median, result.units_per_byte.low, result.units_per_byte.high,
                              result.nanoseconds_per_byte})
    if (!std::isfinite(figure) || figure <= 0) return error("{}: a figure of {}", name(result.shape), figure);
  if (result.cycles_per_byte && !(result.cycles_per_byte->median > 0))
    return error("{}: {} cycles/byte", name(result.shape), result.cycles_per_byte->median);
  if (result.samples_taken < least_samples_taken)
    return error("{}: {} samples, expected {} or more", name(result.shape), result.samples_taken, least_samples_taken);
  return {};
}

Result<void> run(const aesgate_backend& backend, Mode mode, const Plan& plan, Record& record) {
  Plan one = plan;
  one.backends = {&backend};
  one.modes = {mode};
  PerfOptions options;
  options.sizes = {16, default_perf_sizes(mode).back()};
  options.seconds_per_cell = 0.005;
  const auto report = run_perf(one, options, record);
  if (!report) return tl::unexpected(report.error());
  for (const PerfResult& result : report->results)
    if (auto checked = check(result); !checked) return checked;
  fmt::print("{}", to_table(*report));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  return aesgate::run_stage_tests(argc, argv, "perf", run, aesgate::built_in_backends());
}
