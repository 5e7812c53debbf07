#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "core/result.h"

namespace aesgate {

/// ChildProcess: a program with its standard output and error read by this process, a line at a time and only the last
/// of them kept. It has a process group of its own, so that Ctrl-C is for this process alone to answer. It ends with
/// this object, and where the system can see to it with this process, however that ends: nothing is left running.
class ChildProcess {
 public:
  /// `variables` ("NAME=VALUE") replace those of this process.
  [[nodiscard]] static Result<ChildProcess> start(const std::filesystem::path& program,
                                                  const std::vector<std::string>& arguments,
                                                  const std::vector<std::string>& variables);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  /// Readable when there is output, or its end.
  [[nodiscard]] int descriptor() const { return output_; }

  /// The lines that have come since the last call; does not wait.
  [[nodiscard]] std::vector<std::string> read_lines();
  /// The last of all.
  [[nodiscard]] const std::deque<std::string>& last_lines() const { return last_lines_; }

  /// Is it gone? Does not wait.
  [[nodiscard]] bool has_ended();
  /// When it is gone: its exit status, or minus the signal that ended it.
  [[nodiscard]] int status() const { return status_; }

  /// SIGTERM, for all of its group.
  void ask_to_end();
  /// SIGKILL, for all of its group, and waits for its end.
  void kill();

  static constexpr std::size_t lines_kept = 60;
  static constexpr std::size_t longest_line = 4096;

 private:
  ChildProcess(pid_t process, int output) : process_(process), output_(output) {}
  void take(std::string_view text, std::vector<std::string>& lines);

  pid_t process_ = 0;  // 0: gone, and waited for
  int output_ = -1;
  int status_ = 0;
  std::string part_;  // of a line
  std::deque<std::string> last_lines_;
};

}  // namespace aesgate
