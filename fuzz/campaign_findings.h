#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/case.h"
#include "fuzz/campaign.h"
#include "fuzz/campaign_folder.h"

namespace aesgate {

/// TargetEnd: how a target's process came to an end that it should not have.
struct TargetEnd {
  int status = 0;                      // ChildProcess::status(); 0 too, where a backend ended the process
  std::vector<std::string> lines;      // its last
  std::optional<Bytes> input;          // what it was executing
  std::optional<FoundByTarget> found;  // what it said of it itself
};

/// CampaignFindings: what is wrong, each once.
class CampaignFindings {
 public:
  /// `work` is a folder for what passes.
  CampaignFindings(const CampaignOptions& options, std::filesystem::path work)
      : options_(options), work_(std::move(work)) {}

  /// Runs the input again in a process of its own, and keeps what comes of it, if it is new: as a reduced .case where
  /// there is one.
  enum class Taken {
    passed_over,  // it is known now: a target need not end for it any more
    ends_target,  // it is known now, but ends the process of a target all the same
    not_again     // it did not come again
  };
  Result<Taken> take(const FuzzProgram& program, const TargetEnd& end);

  /// What a target need not end for any more.
  [[nodiscard]] const std::set<std::string>& known() const { return known_; }
  [[nodiscard]] const std::vector<CampaignFinding>& all() const { return all_; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t unrepeated() const { return unrepeated_; }

 private:
  Result<std::optional<TargetEnd>> run_again(const FuzzProgram& program, const Bytes& input);
  Result<void> keep(const FuzzProgram& program, const FoundByTarget& found);
  Result<void> keep_death(const FuzzProgram& program, const TargetEnd& end);
  [[nodiscard]] std::string key_of_death(const FuzzProgram& program, const TargetEnd& end) const;
  [[nodiscard]] Case reduce_death(const FuzzProgram& program, const TargetEnd& end);
  void add(CampaignFinding finding);

  const CampaignOptions& options_;
  std::filesystem::path work_;
  std::set<std::string> known_;
  std::vector<CampaignFinding> all_;
  std::uint64_t duplicates_ = 0, unrepeated_ = 0;
};

}  // namespace aesgate
