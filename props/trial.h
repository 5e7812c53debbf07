#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "abi/aesgate_backend.h"
#include "core/allowance.h"
#include "core/case.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/result.h"

namespace aesgate::props {

/// Run: one Case, what the backend did with it, and what the oracles say to that.
struct Run {
  Case c;
  Outcome outcome;  // its output is as long as the Case says, zeros where the backend ended early
  Answer answer;
  Judgement judgement;
};

/// Trial: one test of one law, which runs as many Cases as the law needs. A law compares the runs with each
/// other; each run is also judged by itself.
class Trial {
 public:
  /// `origin` becomes that of every Case.
  Trial(const aesgate_backend& backend, std::string origin) : backend_(&backend), origin_(std::move(origin)) {}

  /// Executes and judges a Case. What it returns lives as long as the Trial.
  const Run& run(Case c);

  /// The output of run(c).
  const Bytes& output_of(Case c) { return run(std::move(c)).outcome.output; }

  [[nodiscard]] const std::deque<Run>& runs() const { return runs_; }

  /// How long the backend took for them.
  [[nodiscard]] Allowance::Duration time() const { return time_; }

  /// Did a backend's call end a Case early, by a status or a crash? Then the runs cannot be compared.
  [[nodiscard]] bool ended_early() const;

  /// The law cannot be asked of this backend, for a reason that no other draft would change.
  void not_applicable(std::string reason) { not_applicable_ = std::move(reason); }
  [[nodiscard]] const std::string& why_not_applicable() const { return not_applicable_; }

  /// Why nothing can be judged any more: the oracles disagree, about runs().back().
  [[nodiscard]] const std::optional<Error>& oracle_error() const { return oracle_error_; }

 private:
  [[nodiscard]] Result<Answer> answer_to(const Case& c) const;

  const aesgate_backend* backend_;
  std::string origin_;
  Allowance::Duration time_{};
  std::deque<Run> runs_;  // not a vector: references to its elements are handed out
  std::string not_applicable_;
  std::optional<Error> oracle_error_;
};

}  // namespace aesgate::props
