#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "abi/aesgate_backend.h"
#include "core/result.h"

namespace aesgate {

/// The modes of SP 800-38A section 6, CFB once for each segment size; CTR is out of scope.
enum class Mode : std::uint32_t {
  ecb = AESGATE_ECB,
  cbc = AESGATE_CBC,
  cfb1 = AESGATE_CFB1,
  cfb8 = AESGATE_CFB8,
  cfb128 = AESGATE_CFB128,
  ofb = AESGATE_OFB
};

enum class Direction : std::uint32_t { encrypt = AESGATE_ENCRYPT, decrypt = AESGATE_DECRYPT };

/// The key sizes of FIPS-197; the value is the number of bits.
enum class KeySize : std::uint32_t { bits128 = 128, bits192 = 192, bits256 = 256 };

inline constexpr std::array all_modes{Mode::ecb, Mode::cbc, Mode::cfb1, Mode::cfb8, Mode::cfb128, Mode::ofb};
inline constexpr std::array all_directions{Direction::encrypt, Direction::decrypt};
inline constexpr std::array all_key_sizes{KeySize::bits128, KeySize::bits192, KeySize::bits256};

/// Shape: what a context does, for its whole life.
struct Shape {
  Mode mode = Mode::ecb;
  Direction direction = Direction::encrypt;
  KeySize key_size = KeySize::bits128;

  [[nodiscard]] aesgate_shape abi() const;
  friend bool operator==(const Shape&, const Shape&) = default;
};

inline constexpr std::size_t shape_count = all_modes.size() * all_directions.size() * all_key_sizes.size();

/// Every shape once: by mode, then direction, then key size.
[[nodiscard]] const std::array<Shape, shape_count>& all_shapes();

/// The place of a shape in all_shapes().
[[nodiscard]] std::size_t index(const Shape& shape);

[[nodiscard]] constexpr std::size_t bits(KeySize size) { return static_cast<std::size_t>(size); }
[[nodiscard]] constexpr std::size_t key_bytes(KeySize size) { return bits(size) / 8; }

/// ECB and CBC take whole blocks only.
[[nodiscard]] constexpr bool is_block_mode(Mode mode) { return mode == Mode::ecb || mode == Mode::cbc; }
[[nodiscard]] constexpr bool has_iv(Mode mode) { return mode != Mode::ecb; }

/// The bits of a unit, in which `length` is counted: one in CFB1, eight elsewhere.
[[nodiscard]] constexpr std::size_t unit_bits(Mode mode) { return mode == Mode::cfb1 ? 1 : 8; }

/// The bytes that hold `length` units: rounded up in CFB1.
[[nodiscard]] constexpr std::size_t bytes_for(Mode mode, std::size_t length) {
  return mode == Mode::cfb1 ? length / 8 + (length % 8 != 0) : length;
}

/// What a mode's segment is, in units: 16 in ECB, CBC, CFB128 and OFB; 1 in CFB1 and CFB8.
[[nodiscard]] constexpr std::size_t segment_units(Mode mode) {
  return mode == Mode::cfb1 || mode == Mode::cfb8 ? 1 : 16;
}

/// May one call of update() take this many units?
[[nodiscard]] constexpr bool takes_length(Mode mode, std::size_t length) {
  return !is_block_mode(mode) || length % 16 == 0;
}

/// "ECB", "CBC", "CFB1", "CFB8", "CFB128", "OFB"; "encrypt", "decrypt"; "CBC encrypt 128".
[[nodiscard]] std::string_view name(Mode mode);
[[nodiscard]] std::string_view name(Direction direction);
[[nodiscard]] std::string name(const Shape& shape);

/// The inverse, in either case of letters; an Error lists what is known.
[[nodiscard]] Result<Mode> parse_mode(std::string_view text);
[[nodiscard]] Result<Direction> parse_direction(std::string_view text);
[[nodiscard]] Result<KeySize> parse_key_bits(std::string_view text);

}  // namespace aesgate
