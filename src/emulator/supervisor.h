#pragma once

#include "emulator/shared_state.h"

namespace aesgate::emulator {

/// A word of the program's that the supervisor reads to see that it can; it lies where it does in the program.
inline constexpr std::uint64_t supervisor_check = 0x6165736761746521;

/// What the supervisor's process does, from fork() to its end, which is the program's: see SharedState::Stage.
/// `check_address` is where the program has supervisor_check.
[[noreturn]] void supervise(SharedState& state, pid_t program, const std::uint64_t* check_address);

}  // namespace aesgate::emulator
