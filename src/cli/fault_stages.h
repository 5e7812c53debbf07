#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "report/record.h"

namespace aesgate {

/// FaultStage: a column of the matrix: a stage, or the part of it that `takes` says.
struct FaultStage {
  const char* name;
  StageFunction run;
  bool (*takes)(const Case&);
};
[[nodiscard]] const std::vector<FaultStage>& fault_stages();

/// Seen: what a stage saw of a backend.
struct Seen {
  bool ran = false;         // some Case came to a verdict
  bool caught = false;      // and one to a failure
  std::uint64_t cases = 0;  // up to and with that one
  double seconds = 0;
  std::vector<std::string> notes = {};  // and warnings
  std::string first = {};               // what the finding says; or why it did not run
  std::optional<Mode> mode = {};        // of the finding
};

/// Runs a stage as verify does, in all modes of the plan, until there is a finding: from then on no Case is executed,
/// and all that the stage still asks for is declined. It begins with the mode `first`. Findings go to `case_folder` as
/// .case files, if that is not empty. An Error is as a StageFunction's, or of oracles that disagree.
[[nodiscard]] Result<Seen> run_until_caught(const FaultStage& stage, const aesgate_backend& backend, const Plan& plan,
                                            std::optional<Mode> first, const std::filesystem::path& case_folder);

}  // namespace aesgate
