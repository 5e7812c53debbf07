#include "core/write_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aesgate {
namespace {

int open_and_write(const std::filesystem::path& path, int flags, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (file < 0) return errno;
  const int wrong = write_all(file, text);
  return close(file) != 0 && wrong == 0 ? errno : wrong;
}

/// Is there something at `path` that a rename would destroy, and not replace?
bool is_special(const std::filesystem::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code failure;
  const auto target = std::filesystem::canonical(path, failure);
  return failure ? path : target;
}

/// The name under which the text is written before it gets its own: in the same folder, so that the
/// rename stays within one file system.
std::filesystem::path part_of(const std::filesystem::path& path) {
  return path.string() + fmt::format(".{}.part", getpid());
}

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(descriptor, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return wrote < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
  FileReplacement file(path);
  file.write(text);
  return file.commit();
}

FileReplacement::FileReplacement(const std::filesystem::path& path) : path_(path) {
  if (!is_special(path)) {
    target_ = behind_links(path);
    part_ = part_of(target_);
  }
  const int flags = part_.empty() ? 0 : O_CREAT | O_TRUNC;
  descriptor_ = open((part_.empty() ? path_ : part_).c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor_ >= 0) return;
  const int wrong = errno;
  part_.clear();  // another's, if it is there
  state_ = failed(wrong);
}

FileReplacement::~FileReplacement() {
  discard();
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> FileReplacement::failed(int wrong) {
  state_ = error("{}: {}", path_.string(), std::strerror(wrong));
  return state_;
}

Result<void> FileReplacement::write(std::string_view text) {
  constexpr std::size_t enough = 1u << 16;
  if (!state_) return state_;
  if (over_) return error("{}: it was closed or given up before", path_.string());
  buffer_ += text;
  return buffer_.size() < enough ? state_ : flush();
}

Result<void> FileReplacement::flush() {
  if (!state_) return state_;
  if (over_) return error("{}: it was closed or given up before", path_.string());
  if (const int wrong = write_all(descriptor_, buffer_); wrong != 0) return failed(wrong);
  buffer_.clear();
  return state_;
}

Result<void> FileReplacement::commit() {
  if (const auto flushed = flush(); !flushed) return flushed;
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) return failed(errno);
  const std::lock_guard lock(mutex_);
  if (over_.exchange(true)) return error("{}: it was given up before", path_.string());
  if (!part_.empty() && rename(part_.c_str(), target_.c_str()) != 0) {
    const int wrong = errno;
    unlink(part_.c_str());
    return failed(wrong);
  }
  return {};
}

void FileReplacement::discard() {
  const std::lock_guard lock(mutex_);
  if (!over_.exchange(true) && !part_.empty()) unlink(part_.c_str());
}

Result<void> expect_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return error("{}: is a directory; name a file", path.string());
  int wrong = 0;
  if (is_special(path)) {
    if (access(path.c_str(), W_OK) != 0) wrong = errno;
  } else {
    const std::filesystem::path part = part_of(behind_links(path));
    wrong = open_and_write(part, O_CREAT | O_TRUNC, {});
    if (wrong == 0) unlink(part.c_str());
  }
  if (wrong != 0) return error("{}: {}", path.string(), std::strerror(wrong));
  return {};
}

Result<void> expect_writable_folder(const std::filesystem::path& folder) {
  // What there is of the path: the folder, or the one in which the rest would be made.
  std::filesystem::path there = std::filesystem::absolute(folder);
  std::error_code ignored;
  while (!std::filesystem::exists(there, ignored) && there != there.parent_path()) there = there.parent_path();
  if (!std::filesystem::is_directory(there, ignored))
    return error("{}: {} is no folder", folder.string(), there.filename().string());
  // Tried, since root may do what permissions forbid, but not write to a file system that takes nothing.
  const std::filesystem::path part = part_of(there / "aesgate");
  if (const int wrong = open_and_write(part, O_CREAT | O_EXCL, {}); wrong != 0)
    return error("{}: {}", folder.string(), std::strerror(wrong));
  unlink(part.c_str());
  return {};
}

}  // namespace aesgate
