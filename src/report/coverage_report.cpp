#include "report/coverage_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/coverage_minimum.h"

namespace aesgate {
namespace {

/// Did the stage say that there is nothing to run? Then that is the reason in the matrix, and no shortfall.
bool is_not_run(const Tally& tally) { return tally.total() > 0 && tally.count(Verdict::agree) + tally.failures() == 0; }

ShapeCoverage of_shape(const Shape& shape, const std::string& backend, const Record& record) {
  const Record::Boundary done = record.boundary(backend, shape);
  ShapeCoverage covered{shape, done.ran, done.planned, 0, {}};
  const Coverage coverage = record.coverage({.suite = Suite::boundary, .backend = backend, .mode = {}, .shape = shape});
  const Extent extent = done.ran < done.planned ? Extent::core : Extent::whole;
  const CoverageCheck check = check_coverage(shape.mode, coverage, extent);
  covered.classes = check.classes;
  for (const Shortfall& shortfall : check.short_of)
    covered.short_of.push_back(fmt::format("{}: {} case{}, at least {}", shortfall.what, shortfall.ran,
                                           shortfall.ran == 1 ? "" : "s", shortfall.least));
  return covered;
}

}  // namespace

bool states_coverage(const Summary& summary) {
  const std::vector<Suite> suites = summary.suites();
  return std::ranges::find(suites, Suite::boundary) != suites.end();
}

std::vector<ShapeCoverage> coverage_of(const Summary& summary, const Summary::Backend& backend, const Record& record) {
  std::vector<ShapeCoverage> all;
  if (!backend.why_unavailable.empty()) return all;
  const std::string name = backend.backend->name;
  for (const Mode mode : summary.plan.modes)
    for (const Shape& shape : summary.plan.shapes(mode))
      if (!is_not_run(record.tally({.suite = Suite::boundary, .backend = name, .mode = {}, .shape = shape})))
        all.push_back(of_shape(shape, name, record));
  return all;
}

}  // namespace aesgate
