#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace aesgate::witness {

/// The first file of that name on PATH that can be executed; empty if there is none.
[[nodiscard]] std::string find_program(const std::string& name);

/// ProgramRun: what a program left behind.
struct ProgramRun {
  std::optional<int> status;    // if it exited by itself
  int signal = 0;               // that ended it otherwise
  bool timed_out = false;       // and was ended by this process, with all in its process group
  std::string out, err, extra;  // standard output and error, and what it wrote to descriptor `extra_descriptor`
};

inline constexpr int extra_descriptor = 3;

/// Runs `arguments`, the first of which is the program's path, to its end: in a process group of its own, with nothing
/// to read, the signals of a new program, and no other descriptor of this process. Throws std::system_error if it
/// cannot be started. From several threads at once.
[[nodiscard]] ProgramRun run_program(std::vector<std::string> arguments, std::chrono::milliseconds limit);

}  // namespace aesgate::witness
