#pragma once

#include <filesystem>
#include <vector>

#include "core/case.h"
#include "core/judge.h"
#include "core/result.h"
#include "report/record.h"

namespace aesgate {

/// KnownAnswer: a Case whose output is published, and what the oracles say to it; an Error in their answer is that
/// they disagree.
struct KnownAnswer {
  Suite suite;  // cavp, fips197 or sp800_38a
  Case c;
  Result<Answer> answer;
};

/// All that is published for one mode: the vectors in `folder`, FIPS-197 appendices B and C, SP 800-38A appendix F. The
/// files are read and the oracles asked once in a process for each folder and mode, and the result is kept; it may
/// be called from several threads. An Error names the file that is missing or malformed.
[[nodiscard]] Result<const std::vector<KnownAnswer>*> known_answers(const std::filesystem::path& folder, Mode mode);

}  // namespace aesgate
