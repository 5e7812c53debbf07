#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace aesgate {

/// FuzzProgram: the libFuzzer program of a target that runs backends.
struct FuzzProgram {
  std::string target;  // "differential" or "stream"
  std::filesystem::path file;
};

/// CampaignOptions: what `aesgate fuzz --time` was asked to do.
struct CampaignOptions {
  std::vector<FuzzProgram> programs;         // those that there are, at least one
  std::vector<std::string> variables;        // "AESGATE_BACKENDS=aesni", …: what the programs are told
  std::string backends;                      // the same for a person, and in keys: "aesni"
  std::filesystem::path corpus;              // this campaign's folder, with one a target in it
  std::vector<std::filesystem::path> given;  // files: inputs of the differential target that somebody else put there
  std::filesystem::path cases;               // where reproducers go; made when there is the first
  std::string replay_arguments;              // for `aesgate replay`, beside the file: " --plugin ./libmine.so"
  std::optional<std::chrono::seconds> time;  // none: until it is interrupted
  unsigned jobs = 1;
  std::optional<std::uint64_t> seed;  // of libFuzzer; none: a new one each time

  /// A line for a person, now and then.
  std::function<void(std::string_view line)> say;
  /// The signal that asks for an end, or 0; called every tenth of a second, at least.
  std::function<int()> interrupted;
};

/// CampaignFinding: what one thing that is wrong comes to.
struct CampaignFinding {
  std::string key;             // finding_key()
  std::string line;            // for a person
  std::filesystem::path file;  // empty if it could not be written; `line` then says why
  std::string replay;          // the command that shows it again
};

/// CampaignSummary: what a campaign came to.
struct CampaignSummary {
  std::uint64_t executions = 0;
  std::chrono::duration<double> seconds{};
  std::vector<CampaignFinding> findings;
  std::uint64_t duplicates = 0;  // findings of what was known
  std::uint64_t unrepeated = 0;  // processes that ended, and did not again on the same input
  struct Corpus {
    std::string target;
    std::size_t before = 0, after = 0;  // inputs
    std::uint64_t cov = 0, ft = 0;      // as libFuzzer counts; of all backends of the campaign together
  };
  std::vector<Corpus> corpora;
  int signal = 0;  // that ended it, or 0
};

/// Is the file a program of libFuzzer that can run with these variables? An Error says why not; `status` is then what
/// it exited with: 2 or 3 for backends that it cannot run.
struct Unfit {
  std::string why;
  int status = 0;
};
[[nodiscard]] std::optional<Unfit> find_unfit(const FuzzProgram& program, const std::vector<std::string>& variables,
                                              const std::filesystem::path& scratch);

/// Runs libFuzzer's programs until the time is over, or it is interrupted. The corpus is merged and minimised at the
/// start, four times a day, and at the end, unless that was a signal. A process that ends is followed by another. What
/// one found is run again in a process of its own, and kept if nothing with that key was before; no job ends for it any
/// more then, if it can see that. Nothing is left running. An Error if the programs cannot run, or the corpus is not to
/// be written to, or used by another campaign.
[[nodiscard]] Result<CampaignSummary> run_campaign(const CampaignOptions& options);

/// The most findings of a campaign, which then ends.
inline constexpr std::size_t most_findings = 200;

}  // namespace aesgate
