#include "core/memory_file.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/write_file.h"

namespace aesgate {
namespace {

[[noreturn]] void fail(const char* what, int wrong) {
  throw std::system_error(wrong, std::generic_category(), std::string("no file in memory: ") + what);
}

}  // namespace

MemoryFile::MemoryFile() {
  const int made = memfd_create("aesgate", MFD_CLOEXEC);
  if (made < 0) fail("memfd_create()", errno);
  descriptor_ = fcntl(made, F_DUPFD_CLOEXEC, 10);
  const int wrong = errno;
  close(made);
  if (descriptor_ < 0) fail("fcntl()", wrong);
}

MemoryFile::MemoryFile(std::string_view text) : MemoryFile() {
  if (const int wrong = write_all(descriptor_, text); wrong != 0) fail("write()", wrong);
}

MemoryFile::~MemoryFile() { close(descriptor_); }

std::string MemoryFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_); }

std::string MemoryFile::text() const { return contents(descriptor_); }

std::string contents(int descriptor) {
  constexpr std::size_t most = 256u << 20;
  std::string all;
  std::array<char, 1u << 16> part{};
  while (all.size() < most) {
    const ssize_t got = pread(descriptor, part.data(), part.size(), static_cast<off_t>(all.size()));
    if (got <= 0) break;
    all.append(part.data(), static_cast<std::size_t>(got));
  }
  return all;
}

}  // namespace aesgate
