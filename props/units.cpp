#include "units.h"

#include <algorithm>
#include <functional>

namespace aesgate::props {

Bytes slice(Mode mode, ByteView message, std::size_t from, std::size_t count) {
  if (mode != Mode::cfb1) {
    const ByteView part = message.subspan(from, count);
    return {part.begin(), part.end()};
  }
  Bytes part(bytes_for(mode, count));
  for (std::size_t i = 0; i < count; ++i) set_bit(part, i, get_bit(message, from + i));
  return part;
}

void paste(Mode mode, Bytes& message, std::size_t at, ByteView part, std::size_t count) {
  if (mode != Mode::cfb1) {
    std::ranges::copy(part.first(count), message.begin() + static_cast<std::ptrdiff_t>(at));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) set_bit(message, at + i, get_bit(part, i));
}

std::optional<std::size_t> first_difference(Mode mode, ByteView a, ByteView b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (mode == Mode::cfb1 ? get_bit(a, i) != get_bit(b, i) : a[i] != b[i]) return i;
  return std::nullopt;
}

Bytes exclusive_or(ByteView a, ByteView b) {
  Bytes result(a.size());
  std::ranges::transform(a, b, result.begin(), std::bit_xor<>());
  return result;
}

std::string unit_name(Mode mode, std::size_t unit) {
  return fmt::format("{} {}", mode == Mode::cfb1 ? "bit" : "byte", unit);
}

}  // namespace aesgate::props
