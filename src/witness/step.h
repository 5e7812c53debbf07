#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace aesgate::witness {

/// Registers: what an x86-64 thread's registers hold between two instructions.
struct Registers {
  std::array<std::uint64_t, 16>
      general{};  // by their number in an encoding: RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 …
  std::uint64_t fs_base = 0;

  /// The XSAVE area in its standard form (Intel SDM volume 1, section 13.4), as far as it goes: the first 512 bytes
  /// where the kernel saves no more, or none.
  std::span<const std::uint8_t> extended;

  /// Vector register `number`, 0 to 31, as a ZMM; what the area does not have is zero.
  [[nodiscard]] std::array<std::uint8_t, 64> vector(unsigned number) const;
  /// Mask register `number`, K0 to K7.
  [[nodiscard]] std::uint64_t mask(unsigned number) const;
};

/// Step: an instruction that is about to be executed.
struct Step {
  std::uint64_t address = 0;
  const Registers& registers;
};

}  // namespace aesgate::witness
