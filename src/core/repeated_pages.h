#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/result.h"

namespace aesgate {

/// RepeatedPages: a range of addresses of any size whose pages are the same few, again and again: what is written at
/// one place is there at every place that lies a multiple of the period away. The range ends where a page that may not
/// be touched begins. Needs a period of memory, and the kernel's page tables for the range: 2 MiB a GiB.
class RepeatedPages {
 public:
  /// An Error if there are not so many addresses, or no memfd_create().
  [[nodiscard]] static Result<RepeatedPages> map(std::size_t size);

  ~RepeatedPages();
  RepeatedPages(RepeatedPages&& other) noexcept;
  RepeatedPages& operator=(RepeatedPages&&) = delete;
  RepeatedPages(const RepeatedPages&) = delete;
  RepeatedPages& operator=(const RepeatedPages&) = delete;

  [[nodiscard]] std::uint8_t* data() const { return end_ - size_; }

  /// The last `period` bytes of the range, which are all there is; all of it, if that is less.
  [[nodiscard]] std::span<std::uint8_t> last_period() const;

  static constexpr std::size_t period = std::size_t{4} << 20;

 private:
  RepeatedPages(std::uint8_t* map, std::size_t map_size, std::uint8_t* end, std::size_t size)
      : map_(map), map_size_(map_size), end_(end), size_(size) {}

  std::uint8_t* map_;
  std::size_t map_size_;
  std::uint8_t* end_;
  std::size_t size_;
};

}  // namespace aesgate
