#include "core/guarded_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace aesgate {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// `size` bytes of the file `pages`, or of no file if that is -1, between two pages that may not be touched; or null.
std::uint8_t* map_guarded(std::size_t size, int protection, int pages) {
  const std::size_t page = page_size();
  void* const map = mmap(nullptr, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::uint8_t*>(map) + page;
  const int kind = pages >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  if (mmap(first, size, protection, MAP_FIXED | kind, pages, 0) != MAP_FAILED) {
    // A backend that forks in the middle of a call would otherwise have two processes write to the same pages.
    if (pages >= 0) madvise(first, size, MADV_DONTFORK);
    return first;
  }
  munmap(map, size + 2 * page);
  return nullptr;
}

void unmap_guarded(const std::uint8_t* first, std::size_t size) {
  munmap(const_cast<std::uint8_t*>(first) - page_size(), size + 2 * page_size());
}

}  // namespace

GuardedBuffer::~GuardedBuffer() { release(); }

void GuardedBuffer::release() {
  if (memory_.empty()) return;
  unmap_guarded(memory_.data(), memory_.size());
  if (view_ != memory_.data()) unmap_guarded(view_, memory_.size());
  memory_ = {};
}

void GuardedBuffer::reserve(std::size_t size) {
  if (size <= memory_.size() && !memory_.empty()) return;
  if (size > SIZE_MAX / 4) throw std::bad_alloc();
  const std::size_t capacity = std::max(std::bit_ceil(size), page_size());
  release();
  const int pages = memfd_create("aesgate", MFD_CLOEXEC);
  const bool shared = pages >= 0 && ftruncate(pages, static_cast<off_t>(capacity)) == 0;
  auto* const first = map_guarded(capacity, PROT_READ | PROT_WRITE, shared ? pages : -1);
  auto* const view = shared ? map_guarded(capacity, PROT_READ, pages) : first;
  if (pages >= 0) close(pages);
  if (first == nullptr || view == nullptr) {
    if (first != nullptr) unmap_guarded(first, capacity);
    if (view != nullptr && view != first) unmap_guarded(view, capacity);
    throw std::bad_alloc();
  }
  memory_ = {first, capacity};
  view_ = view;
  reset();
}

std::span<std::uint8_t> GuardedBuffer::place(std::size_t size, const Spot& spot) {
  reserve(size + spot.distance);
  const std::size_t start = spot.edge == Spot::Edge::start ? spot.distance : memory_.size() - spot.distance - size;
  placed_ = memory_.subspan(start, size);
  return placed_;
}

std::span<std::uint8_t> GuardedBuffer::place_aligned(std::size_t size, std::size_t align, const Spot& spot) {
  reserve(size + (spot.distance + 1) * align);
  // Addresses, not offsets: an alignment may be larger than a page.
  const auto first = reinterpret_cast<std::uintptr_t>(memory_.data());
  const std::uintptr_t lowest = (first + align - 1) & ~(static_cast<std::uintptr_t>(align) - 1);
  const std::uintptr_t highest = (first + memory_.size() - size) & ~(static_cast<std::uintptr_t>(align) - 1);
  const std::uintptr_t start =
      spot.edge == Spot::Edge::start ? lowest + spot.distance * align : highest - spot.distance * align;
  placed_ = memory_.subspan(start - first, size);
  return placed_;
}

std::optional<std::ptrdiff_t> GuardedBuffer::damage() const {
  const auto start = static_cast<std::size_t>(placed_.data() - memory_.data());
  const std::size_t end = start + placed_.size();
  if (const auto bad = find_non_poison(memory_.subspan(end))) return static_cast<std::ptrdiff_t>(placed_.size() + *bad);
  if (const auto bad = find_non_poison(memory_.first(start)))
    return static_cast<std::ptrdiff_t>(*bad) - static_cast<std::ptrdiff_t>(start);
  return std::nullopt;
}

void GuardedBuffer::reset() { std::ranges::fill(memory_, poison); }

std::optional<std::ptrdiff_t> GuardedBuffer::offset_of(const void* address) const {
  if (memory_.empty()) return std::nullopt;
  const auto* byte = static_cast<const std::uint8_t*>(address);
  for (const std::uint8_t* first : {static_cast<const std::uint8_t*>(memory_.data()), view_})
    if (byte >= first - page_size() && byte < first + memory_.size() + page_size())
      return byte - first - (placed_.data() - memory_.data());
  return std::nullopt;
}

std::optional<std::size_t> find_non_poison(std::span<const std::uint8_t> bytes) {
  // Equal to itself one byte on, and poison at the front: all poison. memcmp is the fast way to say so.
  if (bytes.empty()) return std::nullopt;
  if (bytes.front() == poison && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0)
    return std::nullopt;
  const auto bad = std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != poison; });
  return static_cast<std::size_t>(bad - bytes.begin());
}

}  // namespace aesgate
