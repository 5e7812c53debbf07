// Did two runs execute the same implementation?

#include <algorithm>

#include <fmt/format.h>

#include "explain/explanation.h"
#include "explain/quantity.h"

namespace aesgate::explain {
namespace {

/// In the order of the runs, as labels() names them.
std::string lines_text(const Pair& pair) {
  if (!pair.base->line || !pair.other->line) return {};
  const bool swap = pair.other->number < pair.base->number;
  const Fit &first = *(swap ? pair.other : pair.base)->line, &second = *(swap ? pair.base : pair.other)->line;
  return fmt::format("; set-up {} and {} a call, {} and {} a byte", duration_text(first.setup),
                     duration_text(second.setup), duration_text(first.per_byte), duration_text(second.per_byte));
}

void explain_same(Explanation& out, const Pair& pair) {
  const std::string both = labels({pair.base, pair.other});
  out.fact("same-implementation", fmt::format("{}: at each of {} sizes the rates differ by at most {}{}", both,
                                              pair.sizes.size(), percent_text(pair.difference), lines_text(pair)));
  const bool sure = pair.sizes.size() >= 4 && pair.difference <= 0.02;
  out.infer(
      "same-implementation", sure ? Sure::very_likely : Sure::likely,
      fmt::format(
          "{} executed the same implementation: two different ones that agree in set-up and in cost a byte would be a "
          "coincidence",
          both));
  const std::string& engine = pair.other->run->invocation.engine;
  const bool one_has_it = !engine.empty() && pair.base->run->invocation.engine != engine;
  if (one_has_it && !out.concludes("no-evp") && !out.concludes("not-offered"))
    out.cause("engine-idle", Sure::likely,
              fmt::format("the engine {} was asked and left the work to libcrypto: it does not offer this algorithm or "
                          "key size, or found no device that does",
                          engine));
}

/// Do all sizes go the same way?
void explain_different(Explanation& out, const Pair& pair) {
  double least = pair.speedup(0), most = least;
  for (std::size_t i = 1; i < pair.sizes.size(); ++i) {
    least = std::min(least, pair.speedup(i));
    most = std::max(most, pair.speedup(i));
  }
  out.fact("difference",
           pair.sizes.size() == 1
               ? fmt::format("{} has {} the rate of {} at {} bytes", pair.other->label, times_text(most),
                             pair.base->label, pair.sizes.front().first->bytes)
               : fmt::format("{} has {} the rate of {} at {} bytes and {} at {}; least {}, most {}", pair.other->label,
                             times_text(pair.speedup(0)), pair.base->label, pair.sizes.front().first->bytes,
                             times_text(pair.speedup(pair.sizes.size() - 1)), pair.sizes.back().first->bytes,
                             times_text(least), times_text(most)));
}

}  // namespace

void find_same(Explanation& out) {
  for (const Pair& pair : out.pairs) {
    if (pair.sizes.front().first->bytes == 0) continue;
    if (pair.same)
      explain_same(out, pair);
    else
      explain_different(out, pair);
  }
  if (out.pairs_left_out > 0)
    out.fact("difference",
             fmt::format("{} more pairs of runs of the same algorithm were not compared; name fewer files",
                         out.pairs_left_out));
}

}  // namespace aesgate::explain
