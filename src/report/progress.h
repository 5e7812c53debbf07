#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "report/record.h"

namespace aesgate {

/// Progress: how far a run is, on standard error. On a terminal a bar that a thread of its own redraws from the
/// Record and that stop() erases; elsewhere one line for each milestone, without control characters. All
/// functions may be called from any thread.
class Progress {
 public:
  /// `record` must outlive the Progress.
  explicit Progress(const Record& record);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What follows is `tasks` tasks, and progress in them starts at nothing.
  void phase(std::size_t tasks);

  /// A task of the phase runs from here to its end: "kat aesni CBC".
  void started(const std::string& task);
  void finished(const std::string& task);

  /// A line for where there is no bar: "kat aesni: 12,828 cases agree".
  void milestone(const std::string& line);

  /// Erases the bar and shows nothing more.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void draw();
  [[nodiscard]] std::string line() const;
  [[nodiscard]] double share() const;

  const Record& record_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();

  mutable std::mutex mutex_;  // for all below
  bool stopped_ = false;
  std::size_t tasks_ = 0, tasks_started_ = 0, tasks_finished_ = 0;
  std::uint64_t done_before_ = 0, expected_before_ = 0;
  double shown_ = 0;  // a bar never goes back
  std::vector<std::string> running_;
  std::jthread thread_;
};

/// `head` and those of the running tasks that fit whole into `columns`: "HEAD  kat aesni CBC, fuzz sbox OFB +2". A head
/// that is too long ends after a word.
[[nodiscard]] std::string status_line(std::string head, const std::vector<std::string>& running, std::size_t columns);

/// Does standard error, or the given descriptor, take colours and cursor movements?
[[nodiscard]] bool is_terminal(int descriptor);

}  // namespace aesgate
