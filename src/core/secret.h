#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/bytes.h"
#include "core/shape.h"

namespace aesgate {

/// Overwrites memory with zeros in a way that the compiler may not leave out.
void wipe(void* memory, std::size_t size);

/// Key: an AES key of 16, 24 or 32 bytes. Moved, never copied by accident (copy() says so), wiped when
/// it is destroyed or moved from, and never printed: a .case file, whose purpose is to hold the key of
/// a failure, asks for bytes() and says so.
class Key {
 public:
  /// All bits zero.
  explicit Key(KeySize size = KeySize::bits128);
  /// 16, 24 or 32 bytes; any other length is an Error.
  [[nodiscard]] static Result<Key> from(ByteView bytes);

  Key(Key&& other) noexcept;
  Key& operator=(Key&& other) noexcept;
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key();

  [[nodiscard]] Key copy() const;
  [[nodiscard]] KeySize size() const { return size_; }
  [[nodiscard]] ByteView bytes() const { return {bytes_.data(), key_bytes(size_)}; }
  [[nodiscard]] std::span<std::uint8_t> bytes() { return {bytes_.data(), key_bytes(size_)}; }

 private:
  std::array<std::uint8_t, 32> bytes_{};
  KeySize size_;
};

}  // namespace aesgate
