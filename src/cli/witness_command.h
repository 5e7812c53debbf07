#pragma once

#include <optional>

#include "core/result.h"

namespace aesgate {

/// `aesgate witness [OPTION…] -- COMMAND…`: runs somebody's program and says which AES it used. Nothing if the command
/// line is another one; else the exit status, or an Error that is bad input (exit status 2). To be asked before
/// anything else looks at the arguments: those behind "--" are not this program's.
[[nodiscard]] std::optional<Result<int>> run_witness_command(int argc, char** argv);

/// What `aesgate witness --help` says of it.
[[nodiscard]] const char* witness_command_help();

}  // namespace aesgate
