#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/case.h"

namespace aesgate {

/// The byte that fills all memory which nobody has written to. Not zero, so that a clearing loop that
/// runs too far is seen.
inline constexpr std::uint8_t poison = 0xdb;

/// GuardedBuffer: memory between two pages that may not be touched, all poison while not in use. It is mapped twice,
/// the second time read-only, with two such pages of its own. Kept from one Case to the next, since mapping memory
/// costs more than most Cases. Throws std::bad_alloc when there is no memory.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  /// A range of `size` bytes at `spot`; its bytes, and all around it, are poison.
  std::span<std::uint8_t> place(std::size_t size, const Spot& spot);

  /// A range of `size` bytes aligned to `align`, a power of two, at a Placement::context.
  std::span<std::uint8_t> place_aligned(std::size_t size, std::size_t align, const Spot& spot);

  /// The offset, from the first byte of the range placed last, of the first byte outside that range
  /// that is no longer poison.
  [[nodiscard]] std::optional<std::ptrdiff_t> damage() const;

  /// Makes all of it poison again.
  void reset();

  /// The same bytes of the range placed last where they can only be read.
  [[nodiscard]] const std::uint8_t* read_only(std::span<const std::uint8_t> placed) const {
    return placed.data() + (view_ - memory_.data());
  }

  /// Where `address` lies, counted from the first byte of the range placed last, if it is in this
  /// buffer or one of its pages, in either mapping.
  [[nodiscard]] std::optional<std::ptrdiff_t> offset_of(const void* address) const;

  std::span<std::uint8_t> placed() const { return placed_; }

 private:
  void reserve(std::size_t size);

  void release();

  std::span<std::uint8_t> memory_;      // between the two pages
  const std::uint8_t* view_ = nullptr;  // the same, read-only; where the system has no memfd_create(), memory_ itself
  std::span<std::uint8_t> placed_;
};

/// The first place in `bytes` that is not poison.
[[nodiscard]] std::optional<std::size_t> find_non_poison(std::span<const std::uint8_t> bytes);

}  // namespace aesgate
