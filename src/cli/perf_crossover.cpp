#include "cli/perf_crossover.h"

#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "perf/crossover.h"
#include "report/console.h"
#include "report/text_table.h"

namespace aesgate {

Result<int> perf_crossover(const Plan& plan, const PerfOptions& options, const std::string& cases) {
  const Interrupt interrupt([](int) { print_error("interrupted; there is no result"); });
  Record record(cases);
  const auto report = run_crossover(
      plan, {.sizes = options.sizes, .directions = options.directions, .key_sizes = options.key_sizes}, record);
  if (!report) return tl::unexpected(report.error());
  std::string text = to_text(*report);
  for (const std::string& note : record.notes()) text += wrapped("note: ", note);
  text += findings_below(record, plan, wants_colour(STDOUT_FILENO));
  if (const auto printed = print(text); !printed) return tl::unexpected(printed.error());
  return exit_status(*report);
}

}  // namespace aesgate
