#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/fault_stages.h"
#include "core/plan.h"
#include "fuzz/faults/fault.h"

namespace aesgate {

/// FaultRow: a backend of the faults' plugin, and what each stage saw of it.
struct FaultRow {
  const faults::Fault* fault;
  std::vector<Seen> seen;  // by stage

  [[nodiscard]] bool is_clean() const;  // a control: right, in a rare way
  [[nodiscard]] bool ran() const;
  [[nodiscard]] bool caught() const;  // by one stage at least, or warned of, if that is all that there is to say
  [[nodiscard]] bool warned() const;  // the warning that the fault names is there
};

/// FaultMatrix: a run of `aesgate faults`.
struct FaultMatrix {
  std::vector<std::string> stages;
  std::vector<FaultRow> rows;
  Effort effort = Effort::quick;
  std::uint64_t seed = 1;
  double seconds = 0;
  bool has_witness = true;  // false: nothing can be single-stepped here

  /// Should this fault be caught in this run? Not if it needs what the run does not have.
  [[nodiscard]] bool is_expected(const FaultRow& row) const;

  /// 0: every fault that should be caught was, and every control ran and was not accused; else 1.
  [[nodiscard]] int exit_status() const;
};

/// The matrix as text for a person; lines that end in "\n".
[[nodiscard]] std::string to_table(const FaultMatrix& matrix, bool colour);

/// After json_head(): {"seed", "effort", "seconds", "faults": [{"name", "group", "report", "description", "needs",
/// "clean", "caught", "expected", "stages": [{"stage", "ran", "caught", "cases", "seconds", "first"}]}], "result":
/// {"faults", "caught", "escaped": [names], "not_expected": [names], "accused": [names], "exit_status"}}
[[nodiscard]] nlohmann::ordered_json to_json(const FaultMatrix& matrix);

}  // namespace aesgate
