#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "fuzz/campaign.h"

namespace aesgate {

/// CampaignCorpus: the inputs of one target that a campaign keeps, in a folder of their own.
class CampaignCorpus {
 public:
  /// `work` is a folder for what passes.
  CampaignCorpus(const FuzzProgram& program, std::filesystem::path folder, std::filesystem::path work);

  /// What an earlier campaign left half done is put right, and the folder is there.
  Result<void> prepare();

  /// Copies the files of a folder in.
  void add(const std::filesystem::path& folder);

  /// Leaves the least set of inputs that reaches all that those in the folder do. What ends the process of a target is
  /// left out of it, and its file goes to artifacts(). An interruption leaves all as it was; a merge that failed too,
  /// and gives a line about it.
  Result<std::string> minimise(const std::vector<std::string>& variables, const std::function<int()>& interrupted);

  /// An input that ends the process of a target is none to begin with.
  void remove(const Bytes& input);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path artifacts() const { return work_ / "artifacts"; }
  [[nodiscard]] std::size_t size() const;

 private:
  const FuzzProgram& program_;
  std::filesystem::path folder_, work_;
};

}  // namespace aesgate
