#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace aesgate {

/// LlvmMca: the programs llvm-mca and llvm-mc of one version of LLVM, which say how many cycles a CPU's scheduling
/// model takes for a run of instructions: on CPUs that are not here, and the same to the digit wherever that version
/// runs. The model knows no caches, no mispredicted branch, and no store that a load waits for; a call counts as a
/// push.
class LlvmMca {
 public:
  /// Older ones have no model of the CPUs that have VAES.
  static constexpr unsigned least_version = 19;

  /// The newest on PATH, by their names: llvm-mca-20, llvm-mca. An Error: there is none, or none that is new enough.
  [[nodiscard]] static Result<LlvmMca> find();

  /// "19.1.7".
  [[nodiscard]] const std::string& version() const { return version_; }

  /// An Error unless it has this CPU: its name, as in -mcpu=znver4.
  [[nodiscard]] Result<void> check_cpu(const std::string& cpu) const;

  /// Instructions as llvm-mca reads them. An Error: one that this LLVM cannot disassemble.
  [[nodiscard]] Result<std::string> disassemble(std::span<const std::span<const std::uint8_t>> instructions) const;

  /// The cycles that `assembly`, of disassemble(), takes on `cpu`, if it is run over and over: of so many instructions
  /// in all that the first run's beginning and the last one's end do not weigh. An Error: the CPU does not have one of
  /// the instructions, or llvm-mca fails.
  [[nodiscard]] Result<double> cycles(const std::string& assembly, const std::string& cpu) const;

 private:
  LlvmMca() = default;

  std::string mca_, mc_, version_;
  std::vector<std::string> cpus_;
};

/// The CPUs that a user gets who names none: those of znver3, znver4, icelake-server, sapphirerapids, alderlake.
[[nodiscard]] const std::vector<std::string>& default_models();

}  // namespace aesgate
