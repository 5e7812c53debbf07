#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace aesgate {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// The block of FIPS-197: 16 bytes, in the order in which they are stored.
inline constexpr std::size_t block_bytes = 16;
using Block = std::array<std::uint8_t, block_bytes>;

/// Lower-case hexadecimal, two digits a byte.
[[nodiscard]] std::string to_hex(ByteView bytes);

/// The bytes of a string of hexadecimal digits in either case; an odd number of digits or another
/// character is an Error that says which column, counted from 1.
[[nodiscard]] Result<Bytes> from_hex(std::string_view digits);

/// Bit `index` of a bit string packed most significant bit first (SP 800-38A section 4; ACVP the same).
[[nodiscard]] bool get_bit(ByteView bytes, std::size_t index);
void set_bit(std::span<std::uint8_t> bytes, std::size_t index, bool value);

}  // namespace aesgate
