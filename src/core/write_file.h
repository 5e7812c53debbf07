#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace aesgate {

/// Writes `text` so that a reader of `path` sees all of it or what was there before. What is no regular
/// file (/dev/null, a pipe) is written to as it is; a symbolic link stays, and what it names is replaced.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view text);

/// An Error if write_file(path) could not work, found out without changing what is there: for a report
/// that is written at the end of a long run.
[[nodiscard]] Result<void> expect_writable(const std::filesystem::path& path);

/// An Error unless a file can be made in `folder`, or, if that is not there, the folder itself; leaves nothing behind.
[[nodiscard]] Result<void> expect_writable_folder(const std::filesystem::path& folder);

/// Writes all of `text` to an open descriptor, however many calls it takes; 0, or the errno of what went wrong.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

}  // namespace aesgate
