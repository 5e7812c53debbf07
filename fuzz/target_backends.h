#pragma once

#include <optional>
#include <string>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/bytes.h"
#include "fuzz/campaign_folder.h"

namespace aesgate {

/// TargetBackends: what the environment and the command line say to a target that runs backends.
///
/// Each input runs on two of the backends that are available here; which they are depends on the input, and each gets
/// as many inputs (choose.h). AESGATE_BACKENDS="aesni,ttable" runs every input on these, and "all" on every backend
/// that is available here. AESGATE_PLUGIN names a shared object whose backends are known too, and run if no other is
/// named. AESGATE_EMULATE="padlock" has what is not here emulated.
///
/// What is wrong there ends the process with one line: status 2 for bad input, 3 for a backend that is not available.
class TargetBackends {
 public:
  /// For LLVMFuzzerInitialize(): may start the program again (core/cpu_mask.h).
  static void initialize(int argc, char** argv);

  /// The one of this process, made by the first input. That has to be so: libFuzzer installs its handlers of signals
  /// between LLVMFuzzerInitialize() and that, but only where nobody has. Ours must come after them and hand on to them,
  /// since they write the crash file; a backend that is probed installs ours, and an emulator its own.
  static TargetBackends& get();

  /// What `input` runs on. Notes it for a campaign.
  [[nodiscard]] std::vector<const aesgate_backend*> choose(ByteView input);
  /// The input has run.
  void done() {
    if (folder_) folder_->note_done();
  }

  /// Is a failure with this finding_key() none to report? Always false without a campaign.
  [[nodiscard]] bool knows(std::string_view key) const { return folder_ && folder_->knows(key); }

  /// Where files of findings go: what stands in front of their names, libFuzzer's -artifact_prefix.
  [[nodiscard]] static const std::string& artifact_prefix();

  /// Ends the process with a finding, told to the campaign too.
  [[noreturn]] void report(const FoundByTarget& found);

 private:
  TargetBackends();

  std::vector<const aesgate_backend*> backends_;
  std::size_t per_input_ = 2;  // what an execution takes is the oracles' time and that much for each
  std::optional<CampaignFolder> folder_;
};

}  // namespace aesgate
