#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "fuzz/campaign.h"
#include "fuzz/campaign_findings.h"
#include "fuzz/campaign_folder.h"
#include "fuzz/child_process.h"
#include "fuzz/fuzzer_log.h"

namespace aesgate {

/// CampaignJob: one of the processes that a campaign keeps going, one after the other.
class CampaignJob {
 public:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] static Result<CampaignJob> make(unsigned number, const std::filesystem::path& work);

  /// Starts a process of `program` for about `slice`, over `corpus`.
  Result<void> start(const FuzzProgram& program, const std::filesystem::path& corpus, std::chrono::seconds slice,
                     const CampaignOptions& options, const std::set<std::string>& known);

  [[nodiscard]] bool runs() const { return process_.has_value(); }
  [[nodiscard]] int descriptor() const { return process_ ? process_->descriptor() : -1; }
  [[nodiscard]] const FuzzProgram& program() const { return *program_; }

  /// Reads what there is. True if the process has ended; it is gone then.
  bool poll();
  /// How it ended; nothing if that was as it should be.
  [[nodiscard]] std::optional<TargetEnd> take_end();

  /// Asks for the end, and waits a moment for it. What it was executing then is no finding.
  void stop();

  [[nodiscard]] std::uint64_t executions() const { return folder_.executions(); }
  [[nodiscard]] const FuzzerProgress& progress() const { return progress_; }

  /// When another process may start: at once, unless the last ones ended badly and without a finding.
  [[nodiscard]] bool may_start() const { return Clock::now() >= next_start_; }
  void ended_well() { bad_ends_ = 0; }
  /// How often in a row; each time it waits for longer.
  unsigned ended_badly();

  unsigned starts = 0;

 private:
  CampaignJob(unsigned number, std::filesystem::path work, CampaignFolder folder)
      : number_(number), work_(std::move(work)), folder_(std::move(folder)) {}
  [[nodiscard]] std::optional<Bytes> input_of_end() const;

  unsigned number_;
  std::filesystem::path work_;
  CampaignFolder folder_;
  const FuzzProgram* program_ = nullptr;
  std::optional<ChildProcess> process_;
  std::optional<TargetEnd> end_;
  FuzzerProgress progress_;
  std::uint64_t executions_before_ = 0;
  unsigned bad_ends_ = 0;
  Clock::time_point next_start_{};
};

}  // namespace aesgate
