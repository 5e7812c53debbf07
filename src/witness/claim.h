#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/shape.h"

namespace aesgate::witness {

/// Claim: what a backend's `unit` (aesgate_backend.h) says that its AES runs on, as far as a witness knows the word.
enum class Claim : std::uint8_t {
  none,     // "none": no AES instruction
  aes_xmm,  // "aes.xmm", "vaes.ymm", "vaes.zmm": AES instructions of that width
  vaes_ymm,
  vaes_zmm,
  gfni,        // "gfni": GF2P8AFFINEINVQB, and no AES instruction
  key_locker,  // "keylocker"
  xcrypt,      // "xcrypt"
  kernel,      // "kernel"
  any,         // "any": whatever a library chooses
  other        // any other word: of another architecture, or of the backend's own
};
[[nodiscard]] Claim parse_claim(std::string_view unit);

/// "aes.xmm", "vaes.ymm" or "vaes.zmm" by the place of a width in a ByWidth; and its lanes: 1, 2 or 4.
[[nodiscard]] std::string_view unit_of_width(std::size_t width);
[[nodiscard]] constexpr std::size_t lanes_of_width(std::size_t width) { return std::size_t{1} << width; }

/// The width that one of the three of AES instructions claims.
[[nodiscard]] constexpr bool is_of_aes_instructions(Claim claim) {
  return claim == Claim::aes_xmm || claim == Claim::vaes_ymm || claim == Claim::vaes_zmm;
}
[[nodiscard]] constexpr std::size_t claimed_width(Claim claim) {
  return claim == Claim::vaes_zmm ? 2 : claim == Claim::vaes_ymm ? 1 : 0;
}

/// Is the width of an implementation judged by this shape: can, and would anybody, do many blocks of it at a time?
/// CFB1 and CFB8 can be decrypted so, too, but need not be.
[[nodiscard]] bool is_judged_by_width(const Shape& shape);

/// So many instructions without any that a claim is about, and it is refuted: that is enough to get a long message
/// ready byte by byte, without an optimiser.
inline constexpr std::uint64_t patience = 1u << 14;

/// The length in units of the call that shows what a claim says, as short as it can be; and that of a long one, for
/// what only begins to work from some length on.
[[nodiscard]] std::size_t telling_length(Claim claim, const Shape& shape);
[[nodiscard]] std::size_t long_length(const Shape& shape);

}  // namespace aesgate::witness
