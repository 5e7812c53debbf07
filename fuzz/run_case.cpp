#include "fuzz/run_case.h"

#include "core/execute.h"
#include "fuzz/differential.h"

namespace aesgate {

bool CaseRunner::run(const Case& c, const Result<Answer>& answer, Allowance& allowance) {
  if (!answer) {
    record_.oracle_failed(suite_, c, "oracles", {Verdict::mismatch, answer.error().message, {}});
    return false;
  }
  const Outcome outcome = execute(backend_, c);
  allowance.spend(outcome.time_taken);
  const Judgement judgement = judge(c, outcome, *answer);
  // The record keeps the first few failures; only these are worth the time.
  if (is_failure(judgement.verdict) && failures_++ < Record::findings_per_cell) {
    const Case reduced = reduce_failure(backend_, c, judgement.verdict);
    const Result<Judgement> again = check(backend_, reduced);
    if (again && again->verdict == judgement.verdict) {
      record_.judged(suite_, backend_, reduced, *again);
      return true;
    }
  }
  record_.judged(suite_, backend_, c, judgement);
  return true;
}

}  // namespace aesgate
