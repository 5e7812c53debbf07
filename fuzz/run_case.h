#pragma once

#include "core/allowance.h"
#include "core/judge.h"
#include "report/record.h"

namespace aesgate {

/// CaseRunner: executes and judges Cases of one suite on one backend, and records them. The first failures are reduced
/// before that, under the origin of the Case that showed them.
class CaseRunner {
 public:
  CaseRunner(Suite suite, const aesgate_backend& backend, Record& record)
      : suite_(suite), backend_(backend), record_(record) {}

  /// False if the oracles had no answer, and nothing can be judged any more. The backend's time is spent of
  /// `allowance`.
  bool run(const Case& c, const Result<Answer>& answer, Allowance& allowance);

 private:
  Suite suite_;
  const aesgate_backend& backend_;
  Record& record_;
  std::size_t failures_ = 0;
};

}  // namespace aesgate
