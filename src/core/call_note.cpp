#include "core/call_note.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace aesgate {

void CallNote::enter(std::string_view call) {
  const std::size_t length = std::min(call.size(), size);
  std::memcpy(call_, call.data(), length);
  length_.store(static_cast<unsigned char>(length), std::memory_order_relaxed);
  inside_.store(1, std::memory_order_release);
}

void CallNote::clear() {
  length_.store(0, std::memory_order_relaxed);
  inside_.store(0, std::memory_order_release);
}

std::string CallNote::where() const {
  const bool inside = inside_.load(std::memory_order_acquire) != 0;
  std::string call(call_, std::min<std::size_t>(length_.load(std::memory_order_relaxed), size));
  if (call.empty()) return "before the first call";
  for (char& letter : call)
    if (letter < 0x20 || letter > 0x7e) letter = '?';
  return fmt::format("{} {}", inside ? "in" : "after", call);
}

}  // namespace aesgate
