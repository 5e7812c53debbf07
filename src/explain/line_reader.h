#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/result.h"
#include "explain/clean_lines.h"
#include "explain/speed_run.h"

namespace aesgate::explain {

/// Text: a file, cleaned.
struct Text {
  std::string name;
  std::vector<Line> lines;

  /// Line `at`, or an empty one after the last.
  [[nodiscard]] const std::string& line(std::size_t at) const;
  [[nodiscard]] Place place(std::size_t at) const;

  /// An Error that begins "NAME:LINE: ".
  template <typename... Args>
  [[nodiscard]] tl::unexpected<Error> error_at(std::size_t at, fmt::format_string<Args...> format,
                                               Args&&... args) const {
    return error("{}: {}", place(at).text(), fmt::format(format, std::forward<Args>(args)...));
  }
};

/// LineReader: finds what one program writes among lines of anything. One object reads one text.
class LineReader {
 public:
  virtual ~LineReader() = default;

  /// How many lines from `at` on it took: 0 if they are none of its own. An Error for a line that begins as its own
  /// and cannot be read: figures are not to be lost without a word.
  [[nodiscard]] virtual Result<std::size_t> take(const Text& text, std::size_t at) = 0;

  /// Adds what was found; after the last take().
  virtual void finish(Reading& reading) = 0;
};

[[nodiscard]] std::unique_ptr<LineReader> openssl_reader();
[[nodiscard]] std::unique_ptr<LineReader> bench_slope_reader();
[[nodiscard]] std::unique_ptr<LineReader> kcapi_reader();
[[nodiscard]] std::unique_ptr<LineReader> cryptsetup_reader();
[[nodiscard]] std::unique_ptr<LineReader> trouble_reader();

/// Adds a sample in its place by size; false, and nothing added, if the run has that size.
bool insert(SpeedRun& run, const Sample& sample);
/// The sample of that size, made if it is not there.
Sample& sample_of(SpeedRun& run, std::size_t bytes, std::size_t line);

}  // namespace aesgate::explain
