#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/plan.h"
#include "core/result.h"

namespace aesgate {

/// GateSide: one of the two plugins that the gate compares.
class GateSide {
 public:
  /// Looks at the plugin in a process of its own. An Error begins with the option.
  [[nodiscard]] static Result<GateSide> load(const char* option, const std::string& file);

  /// For "NAME" or "NAME:OPTIONS"; judged in a process of its own.
  [[nodiscard]] Result<const aesgate_backend*> find(const std::string& spec) const;

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::vector<std::string> names() const;

  /// For the blocks of failures: where the backend is found again.
  [[nodiscard]] Plan plan_of(const aesgate_backend& backend, const std::string& spec, std::uint64_t seed) const;

  /// An Error if another file has taken its place since it was loaded.
  [[nodiscard]] Result<void> check_same_file() const;

 private:
  GateSide() = default;

  std::string option_, file_;
  std::vector<const aesgate_backend*> backends_;
  std::filesystem::file_time_type written_;
  std::uintmax_t size_ = 0;
};

/// GatePair: what is compared with what.
struct GatePair {
  std::string baseline_spec, candidate_spec;
  const aesgate_backend* baseline = nullptr;
  const aesgate_backend* candidate = nullptr;
};

/// The named backends, each of which both plugins must have, unless `candidate_spec` says what the candidate calls the
/// one that is named; if none is named all, and then both plugins must have the same.
[[nodiscard]] Result<std::vector<GatePair>> gate_pairs(const GateSide& baseline, const GateSide& candidate,
                                                       const std::vector<std::string>& specs,
                                                       const std::string& candidate_spec);

}  // namespace aesgate
