#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace aesgate {

/// Warning: something about a backend that is not wrong, and that whoever writes or uses it will want to know.
enum class Warning : std::uint8_t { upper_halves, key_on_stack, prints };
inline constexpr std::size_t warning_count = 3;

/// Warnings: where a Case gave reason for each, such as "update() 1, of 48 at 0"; empty where it gave none.
using Warnings = std::array<std::string, warning_count>;

/// What it says of a backend: "leaves upper halves of vector registers in use, which is slow and not wrong".
[[nodiscard]] std::string_view name(Warning warning);

/// Why a warning is not made of this backend, or empty: all exceptions that there are, in one place.
[[nodiscard]] std::string_view waiver(std::string_view backend, Warning warning);

}  // namespace aesgate
