#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "core/result.h"

namespace aesgate {

/// Writes `text` so that a reader of `path` sees all of it or what was there before. What is no regular
/// file (/dev/null, a pipe) is written to as it is; a symbolic link stays, and what it names is replaced.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view text);

/// FileReplacement: write_file() for a text that does not fit into memory. What is written goes to a file beside
/// `path`, which takes its place in commit() and is removed without: also when the object is destroyed. What is no
/// regular file gets the text at once, since there is nothing to put in its place. The first Error stays: later calls
/// do nothing and give it again.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& path);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  Result<void> write(std::string_view text);
  [[nodiscard]] Result<void> commit();
  /// Removes what was written so far; what comes after it is an Error. Any thread may call it.
  void discard();

 private:
  Result<void> flush();
  Result<void> failed(int wrong);

  std::filesystem::path path_, target_;
  std::string buffer_;
  int descriptor_ = -1;
  Result<void> state_;
  std::atomic<bool> over_ = false;  // committed or discarded
  std::mutex mutex_;                // for part_ from the constructor on
  std::filesystem::path part_;      // empty: there is none, or none any more
};

/// An Error if write_file(path) could not work, found out without changing what is there: for a report
/// that is written at the end of a long run.
[[nodiscard]] Result<void> expect_writable(const std::filesystem::path& path);

/// An Error unless a file can be made in `folder`, or, if that is not there, the folder itself; leaves nothing behind.
[[nodiscard]] Result<void> expect_writable_folder(const std::filesystem::path& folder);

/// Writes all of `text` to an open descriptor, however many calls it takes; 0, or the errno of what went wrong.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

}  // namespace aesgate
