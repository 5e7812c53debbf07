#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "emulator/padlock.h"

namespace aesgate::emulator {

/// Xcrypt: the instruction, decoded.
struct Xcrypt {
  PadlockMode mode;
  std::size_t length;  // in bytes
  bool reloads_key;    // PUSHF and POPF come right before it
};

/// What is at `code`, which the CPU found undefined; nothing if that is not the unit's.
[[nodiscard]] std::optional<Xcrypt> decode_xcrypt(const std::uint8_t* code);

struct XcryptRegisters {
  std::uint64_t rax, rbx, rcx, rdx, rsi, rdi;
};

/// Does what the unit does, and changes the registers, or faults: then SIGSEGV comes out of it. False if a handler of
/// SIGSEGV has returned from a fault that is not about a page: the instruction has not been done. Safe in a signal
/// handler.
[[nodiscard]] bool run_xcrypt(const Xcrypt& instruction, XcryptRegisters& registers);

}  // namespace aesgate::emulator
