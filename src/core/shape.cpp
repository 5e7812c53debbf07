#include "core/shape.h"

#include <algorithm>

namespace aesgate {
namespace {

constexpr std::array<std::string_view, all_modes.size()> mode_names{"ECB", "CBC", "CFB1", "CFB8", "CFB128", "OFB"};
constexpr std::array<std::string_view, all_directions.size()> direction_names{"encrypt", "decrypt"};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

aesgate_shape Shape::abi() const {
  return {static_cast<std::uint32_t>(mode), static_cast<std::uint32_t>(direction), static_cast<std::uint32_t>(key_size),
          0};
}

const std::array<Shape, shape_count>& all_shapes() {
  static const auto shapes = [] {
    std::array<Shape, shape_count> all;
    std::size_t i = 0;
    for (const Mode mode : all_modes)
      for (const Direction direction : all_directions)
        for (const KeySize key_size : all_key_sizes) all[i++] = {mode, direction, key_size};
    return all;
  }();
  return shapes;
}

std::size_t index(const Shape& shape) {
  const auto key = (bits(shape.key_size) - 128) / 64;
  return (static_cast<std::size_t>(shape.mode) * all_directions.size() + static_cast<std::size_t>(shape.direction)) *
             all_key_sizes.size() +
         key;
}

std::string_view name(Mode mode) { return mode_names[static_cast<std::size_t>(mode)]; }

std::string_view name(Direction direction) { return direction_names[static_cast<std::size_t>(direction)]; }

std::string name(const Shape& shape) {
  return fmt::format("{} {} {}", name(shape.mode), name(shape.direction), bits(shape.key_size));
}

Result<Mode> parse_mode(std::string_view text) {
  for (const Mode mode : all_modes)
    if (equal_ignoring_case(text, name(mode))) return mode;
  return error("unknown mode \"{}\"; known: {}", text, fmt::join(mode_names, ", "));
}

Result<Direction> parse_direction(std::string_view text) {
  for (const Direction direction : all_directions)
    if (equal_ignoring_case(text, name(direction))) return direction;
  return error("unknown direction \"{}\"; known: {}", text, fmt::join(direction_names, ", "));
}

Result<KeySize> parse_key_bits(std::string_view text) {
  for (const KeySize size : all_key_sizes)
    if (text == std::to_string(bits(size))) return size;
  return error("unknown key size \"{}\"; known: 128, 192, 256", text);
}

}  // namespace aesgate
