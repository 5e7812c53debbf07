#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/result.h"

namespace aesgate::emulator {

/// Switches the emulator of this name on, for the rest of the process: "padlock", "af_alg", "cryptodev",
/// "cryptodev-bsd". An Error is a line for a user: no such emulator, or not on this machine. Nothing is ever emulated
/// but after this call.
[[nodiscard]] Result<void> install(std::string_view name);

/// The names in AESGATE_EMULATE, between blanks or commas: for programs without a command line of ours, such as tests
/// and fuzz targets. An Error if one is unknown.
[[nodiscard]] Result<std::vector<std::string>> named_in_environment();

/// Switches these on.
[[nodiscard]] Result<void> install_from_environment();

/// The name of the emulator for what this backend says it executes on, its `unit`, or where that is a kernel for what
/// it asks it through; empty if there is none in this build.
[[nodiscard]] std::string_view emulator_for(const aesgate_backend& backend);

/// Is what this backend says it executes on emulated in this process? What it then shows holds for our
/// model of the unit, and its times are those of the model's traps.
[[nodiscard]] bool is_emulated(const aesgate_backend& backend);

/// The clocks that the emulated units have spent so far, in all threads, by what their makers publish: modelled, and to
/// be labelled so, never measured.
[[nodiscard]] std::uint64_t modelled_clocks();

/// What a report says of a backend for which that is so: "padlock: emulated: …". Empty for others.
[[nodiscard]] std::string note_on(const aesgate_backend& backend);

}  // namespace aesgate::emulator
