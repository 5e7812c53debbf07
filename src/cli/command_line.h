#pragma once

namespace aesgate {

/// aesgate's main(): reads the command line, runs the command and returns the exit status. What the user got
/// wrong is one line on standard error and status 2.
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace aesgate
