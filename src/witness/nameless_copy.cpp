#include "witness/nameless_copy.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

namespace aesgate::witness {
namespace {

[[noreturn]] void fail(const std::string& what, int wrong) {
  throw std::system_error(wrong, std::generic_category(), what);
}

/// 0, or errno.
int copy_all(int from, int to) {
  for (;;) {
    const ssize_t sent = sendfile(to, from, nullptr, 1u << 30);
    if (sent == 0) return 0;
    if (sent < 0 && errno != EINTR) return errno;
  }
}

}  // namespace

NamelessCopy::NamelessCopy(const std::string& file) {
  const int from = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) fail(file, errno);
  descriptor_ = memfd_create("aesgate", MFD_CLOEXEC);
  const int wrong = descriptor_ < 0 ? errno : copy_all(from, descriptor_);
  close(from);
  if (wrong == 0) return;
  if (descriptor_ >= 0) close(descriptor_);
  fail(fmt::format("a copy of {}", file), wrong);
}

NamelessCopy::~NamelessCopy() { close(descriptor_); }

std::string NamelessCopy::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_); }

}  // namespace aesgate::witness
