#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "witness/aes_opcode.h"
#include "witness/code_maps.h"
#include "witness/round_count.h"

namespace aesgate::witness {

/// AesSite: an AES instruction that was seen executing.
struct AesSite {
  AesOpcode opcode;
  std::uint64_t executed = 0;
};

/// ObjectTally: what samples saw in one CodeObject.
struct ObjectTally {
  std::uint64_t samples = 0;                      // that began in it
  std::uint64_t aes_samples = 0;                  // that saw it execute AES instructions
  std::uint64_t cipher_samples = 0;               // that saw a cipher's rounds there, up to a last one
  std::map<std::uint64_t, std::uint64_t> begins;  // samples by the offset at which they began
  std::map<std::uint64_t, AesSite> aes;           // by offset
  std::map<Rounds, std::uint64_t> rounds;
};

/// SampleTally: what all samples saw. A sample is a thread stopped where it was running, and the instructions that it
/// executed from there, one by one.
struct SampleTally {
  std::uint64_t samples = 0;      // in user mode
  std::uint64_t aes_samples = 0;  // that saw an AES instruction
  std::uint64_t after_calls = 0;  // of samples: where a system call had just returned, as it does more often than by
                                  // chance on a machine that is busy; they say nothing of shares
  std::uint64_t in_kernel = 0;    // stopped in a system call instead: nothing to step
  std::uint64_t instructions = 0, aes_instructions = 0;
  double held_seconds = 0;                           // for which threads were kept from running
  std::map<std::string, std::uint64_t> not_stepped;  // stops of which no instruction could be seen, by the reason
  std::map<std::size_t, ObjectTally> objects;        // by their number in CodeObjects

  /// Samples at a moment of the thread's time that is as good as any other.
  [[nodiscard]] std::uint64_t fair_samples() const { return samples - after_calls; }
};

}  // namespace aesgate::witness
