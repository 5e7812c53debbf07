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
  int wrong = 0;
  if (is_special(path)) {
    wrong = open_and_write(path, 0, text);
  } else {
    const std::filesystem::path target = behind_links(path);
    const std::filesystem::path part = part_of(target);
    wrong = open_and_write(part, O_CREAT | O_TRUNC, text);
    if (wrong == 0 && rename(part.c_str(), target.c_str()) != 0) wrong = errno;
    if (wrong != 0) unlink(part.c_str());
  }
  if (wrong != 0) return error("{}: {}", path.string(), std::strerror(wrong));
  return {};
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
