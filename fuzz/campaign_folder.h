#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace aesgate {

// What `aesgate fuzz --time` and the process of a fuzz target say to each other: a folder, which the variable
// AESGATE_CAMPAIGN names, with three files.
//
//     state    memory of both: how many inputs were executed, the one that is being executed, and whether one is
//     known    a finding_key() a line: what is not a finding any more; "*": nothing is
//     finding  what the target found, written before it ends: the keys, a line for a person, the file that replays it

inline constexpr const char* campaign_variable = "AESGATE_CAMPAIGN";

/// FoundByTarget: what a target says of a finding.
struct FoundByTarget {
  std::string key;    // of the reproducer
  std::string first;  // of the input that showed it: the same, unless the backend does not do the same every time
  std::string line;   // for a person
  std::string file;   // the reproducer; empty if it could not be written
};

/// SharedState: `state`, mapped by both processes. Of an input that is longer than its place only the front is there.
struct SharedState {
  std::atomic<std::uint64_t> executions;
  std::atomic<std::uint32_t> input_size, is_executing;
  std::uint8_t input[8192];
};

/// CampaignFolder: one such folder. The campaign makes it, the target opens it.
class CampaignFolder {
 public:
  /// With an empty `known` and no execution.
  [[nodiscard]] static Result<CampaignFolder> make(const std::filesystem::path& path);
  /// The one that AESGATE_CAMPAIGN names; nothing if it names none. An Error if it cannot be used.
  [[nodiscard]] static Result<std::optional<CampaignFolder>> from_environment();

  CampaignFolder(CampaignFolder&& other) noexcept;
  CampaignFolder& operator=(CampaignFolder&& other) noexcept;
  ~CampaignFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // For the target.

  /// Before each execution; a few nanoseconds.
  void note_input(ByteView input);
  /// After each: a process that ends before that did not do so by itself, whatever its status says.
  void note_done() { state_->is_executing.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool knows(std::string_view key) const;
  Result<void> tell(const FoundByTarget& found);

  // For the campaign.

  Result<void> write_known(const std::set<std::string>& keys);
  [[nodiscard]] std::uint64_t executions() const { return state_->executions.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_executing() const { return state_->is_executing.load(std::memory_order_relaxed) != 0; }
  /// Once the process that did is gone.
  void forget_executing() { note_done(); }
  /// The input that was being executed, or the last one; empty before the first.
  [[nodiscard]] Bytes last_input() const;
  /// What the target told, and removes it.
  [[nodiscard]] std::optional<FoundByTarget> take_found();

  static constexpr const char* everything = "*";

 private:
  CampaignFolder(std::filesystem::path path, SharedState* state) : path_(std::move(path)), state_(state) {}
  [[nodiscard]] static Result<CampaignFolder> open(const std::filesystem::path& path, bool create);

  std::filesystem::path path_;
  SharedState* state_ = nullptr;
  std::set<std::string, std::less<>> known_;  // for the target: what `known` said when it began
};

}  // namespace aesgate
