#pragma once

#include <string>
#include <vector>

#include "perf/instruction_count.h"
#include "perf/llvm_mca.h"

namespace aesgate {

/// ModelledCycles: what llvm-mca says that a CPU takes for the instructions of a call. Modelled, never measured.
struct ModelledCycles {
  std::string cpu;
  double cycles_a_call = 0;  // of calls that follow each other and do not wait for each other
  std::string reason;        // not empty: there is no figure, and why
};

/// For each of `cpus`, which `mca` has, the cycles of a call that was counted in this process.
[[nodiscard]] std::vector<ModelledCycles> model_call(const LlvmMca& mca, const CountedCall& call,
                                                     const std::vector<std::string>& cpus);

/// What of AVX-512, GFNI and VAES the CPU of this name lacks, and the instruction needs: "AVX-512". llvm-mca gives
/// figures for instructions that a CPU does not have. Empty if it has what is needed, or nothing is known of it.
[[nodiscard]] std::string lacks_for(const std::string& cpu, std::span<const std::uint8_t> instruction);

}  // namespace aesgate
