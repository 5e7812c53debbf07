#include "core/repeated_pages.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace aesgate {

Result<RepeatedPages> RepeatedPages::map(std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mapped = (size + period - 1) / period * period;
  const auto failed = [&](const char* what) {
    return error("{} bytes of addresses for a long message: {}: {}", size, what, std::strerror(errno));
  };
  const int pages = memfd_create("aesgate", MFD_CLOEXEC);
  if (pages < 0) return failed("memfd_create()");
  void* const map = ftruncate(pages, static_cast<off_t>(period)) != 0
                        ? MAP_FAILED
                        : mmap(nullptr, mapped + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto* const first = static_cast<std::uint8_t*>(map);
  bool whole = map != MAP_FAILED;
  for (std::size_t at = 0; whole && at < mapped; at += period)
    whole = mmap(first + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages, 0) != MAP_FAILED;
  const int reason = errno;
  close(pages);
  errno = reason;
  if (whole) return RepeatedPages(first, mapped + page, first + mapped, size);
  auto failure = failed("mmap()");
  if (map != MAP_FAILED) munmap(map, mapped + page);
  return failure;
}

RepeatedPages::RepeatedPages(RepeatedPages&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), map_size_(other.map_size_), end_(other.end_), size_(other.size_) {}

RepeatedPages::~RepeatedPages() {
  if (map_ != nullptr) munmap(map_, map_size_);
}

std::span<std::uint8_t> RepeatedPages::last_period() const {
  const std::size_t size = std::min(size_, period);
  return {end_ - size, size};
}

}  // namespace aesgate
