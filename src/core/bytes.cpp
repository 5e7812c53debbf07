#include "core/bytes.h"

namespace aesgate {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(ByteView bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Result<Bytes> from_hex(std::string_view digits) {
  for (std::size_t i = 0; i < digits.size(); ++i)
    if (digit_value(digits[i]) < 0) return error("column {} of the value is no hexadecimal digit", i + 1);
  if (digits.size() % 2 != 0) return error("{} hexadecimal digits, an odd number", digits.size());
  Bytes bytes(digits.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(digit_value(digits[2 * i]) * 16 + digit_value(digits[2 * i + 1]));
  return bytes;
}

bool get_bit(ByteView bytes, std::size_t index) { return (bytes[index / 8] >> (7 - index % 8) & 1) != 0; }

void set_bit(std::span<std::uint8_t> bytes, std::size_t index, bool value) {
  const auto mask = static_cast<std::uint8_t>(0x80u >> (index % 8));
  std::uint8_t& byte = bytes[index / 8];
  byte = static_cast<std::uint8_t>(value ? byte | mask : byte & ~mask);
}

}  // namespace aesgate
