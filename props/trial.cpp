#include "trial.h"

#include <algorithm>
#include <cassert>

#include "oracle/kept_answers.h"

namespace aesgate::props {
namespace {

bool same_message(const Case& a, const Case& b) {
  return a.shape == b.shape && a.length == b.length && a.input == b.input && a.iv == b.iv &&
         std::ranges::equal(a.key.bytes(), b.key.bytes());
}

}  // namespace

const Run& Trial::run(Case c) {
  c.origin = origin_;
  assert(c.validate());
  Run run{std::move(c), {}, {}, {}};
  const auto start = Allowance::thread_time();
  run.outcome = execute(*backend_, run.c);
  time_ += Allowance::thread_time() - start;
  if (Result<Answer> answer = answer_to(run.c)) {
    run.answer = std::move(*answer);
    run.judgement = judge(run.c, run.outcome, run.answer);
  } else if (!oracle_error_) {
    oracle_error_ = answer.error();
  }
  run.outcome.output.resize(run.c.input.size());
  runs_.push_back(std::move(run));
  return runs_.back();
}

bool Trial::ended_early() const {
  return std::ranges::any_of(
      runs_, [](const Run& run) { return run.outcome.crash.has_value() || run.outcome.status != Status::ok; });
}

Result<Answer> Trial::answer_to(const Case& c) const {
  // Laws handle one message in several ways, and the oracles are slower than what they judge.
  for (const Run& run : runs_)
    if (same_message(run.c, c)) return run.answer;
  return ask_once(c);
}

}  // namespace aesgate::props
