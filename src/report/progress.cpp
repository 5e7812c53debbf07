#include "report/progress.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/write_file.h"
#include "report/summary.h"

namespace aesgate {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);
constexpr std::size_t bar_columns = 16;
constexpr std::string_view erase_line = "\r\033[K";

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void write_to_stderr(std::string_view text) {
  // Progress that cannot be shown is no failure of the run.
  [[maybe_unused]] const int ignored = write_all(STDERR_FILENO, text);
}

}  // namespace

std::string status_line(std::string head, const std::vector<std::string>& running, std::size_t columns) {
  if (head.size() > columns) {
    const std::size_t blank = head.rfind(' ', columns);
    head.resize(blank == std::string::npos ? 0 : blank);
    return head;
  }
  for (std::size_t shown = running.size(); shown > 0; --shown) {
    std::string line = fmt::format(
        "{}  {}", head, fmt::join(running.begin(), running.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < running.size()) line += fmt::format(" +{}", running.size() - shown);
    if (line.size() <= columns) return line;
  }
  return head;
}

bool is_terminal(int descriptor) {
  const char* type = std::getenv("TERM");
  return isatty(descriptor) != 0 && (type == nullptr || std::string_view(type) != "dumb");
}

Progress::Progress(const Record& record) : record_(record), terminal_(is_terminal(STDERR_FILENO)) {
  if (!terminal_) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      draw();
      std::this_thread::sleep_for(redraw_interval);
    }
  });
}

Progress::~Progress() { stop(); }

void Progress::phase(std::size_t tasks) {
  const std::lock_guard lock(mutex_);
  tasks_ = tasks;
  tasks_started_ = tasks_finished_ = 0;
  done_before_ = record_.done();
  expected_before_ = record_.expected();
  shown_ = 0;
}

void Progress::started(const std::string& task) {
  const std::lock_guard lock(mutex_);
  ++tasks_started_;
  running_.push_back(task);
}

void Progress::finished(const std::string& task) {
  const std::lock_guard lock(mutex_);
  ++tasks_finished_;
  if (const auto found = std::ranges::find(running_, task); found != running_.end()) running_.erase(found);
}

void Progress::milestone(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!terminal_ && !stopped_) write_to_stderr(text + '\n');
}

void Progress::stop() {
  const std::lock_guard lock(mutex_);
  if (terminal_ && !stopped_) write_to_stderr(erase_line);
  stopped_ = true;
  thread_.request_stop();
}

/// Stages say what they expect when they start: tasks that did not start yet count as the average.
double Progress::share() const {
  if (tasks_started_ == 0) return 0;
  const auto expected = static_cast<double>(record_.expected() - expected_before_) * static_cast<double>(tasks_) /
                        static_cast<double>(tasks_started_);
  const auto done = static_cast<double>(record_.done() - done_before_);
  const double by_tasks = static_cast<double>(tasks_finished_) / static_cast<double>(tasks_);
  return std::clamp(expected > 0 ? done / expected : by_tasks, 0.0, 1.0);
}

std::string Progress::line() const {
  const auto filled = static_cast<std::size_t>(shown_ * bar_columns);
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string head =
      fmt::format("[{}{}] {:3.0f}%  {:.0f} s  {} cases", std::string(filled, '#'),
                  std::string(bar_columns - filled, '.'), shown_ * 100, seconds, grouped(record_.done()));
  // A line that reaches the last column would wrap, and could not be erased.
  return status_line(head, running_, terminal_columns() - 1);
}

void Progress::draw() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  shown_ = std::max(shown_, share());
  write_to_stderr(fmt::format("{}{}", erase_line, line()));
}

}  // namespace aesgate
