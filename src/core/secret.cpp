#include "core/secret.h"

#include <algorithm>
#include <cstring>

namespace aesgate {

void wipe(void* memory, std::size_t size) {
  if (size == 0) return;
  std::memset(memory, 0, size);
  // The barrier claims to read the memory, so the stores before it are not dead.
  asm volatile("" : : "r"(memory) : "memory");
}

Key::Key(KeySize size) : size_(size) {}

Result<Key> Key::from(ByteView bytes) {
  for (const KeySize size : all_key_sizes) {
    if (bytes.size() != key_bytes(size)) continue;
    Key key(size);
    std::ranges::copy(bytes, key.bytes().begin());
    return key;
  }
  return error("a key of {} bytes; AES takes 16, 24 or 32", bytes.size());
}

Key::Key(Key&& other) noexcept : bytes_(other.bytes_), size_(other.size_) {
  wipe(other.bytes_.data(), other.bytes_.size());
}

Key& Key::operator=(Key&& other) noexcept {
  if (this == &other) return *this;
  bytes_ = other.bytes_;
  size_ = other.size_;
  wipe(other.bytes_.data(), other.bytes_.size());
  return *this;
}

Key::~Key() { wipe(bytes_.data(), bytes_.size()); }

Key Key::copy() const {
  Key key(size_);
  key.bytes_ = bytes_;
  return key;
}

}  // namespace aesgate
