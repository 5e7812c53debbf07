#include "witness/claim.h"

#include <array>
#include <utility>

namespace aesgate::witness {

Claim parse_claim(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, Claim>, 9> words{{{"none", Claim::none},
                                                                            {"aes.xmm", Claim::aes_xmm},
                                                                            {"vaes.ymm", Claim::vaes_ymm},
                                                                            {"vaes.zmm", Claim::vaes_zmm},
                                                                            {"gfni", Claim::gfni},
                                                                            {"keylocker", Claim::key_locker},
                                                                            {"xcrypt", Claim::xcrypt},
                                                                            {"kernel", Claim::kernel},
                                                                            {"any", Claim::any}}};
  for (const auto& [word, claim] : words)
    if (word == unit) return claim;
  return Claim::other;
}

std::string_view unit_of_width(std::size_t width) {
  static constexpr std::array<std::string_view, 3> units{"aes.xmm", "vaes.ymm", "vaes.zmm"};
  return units[width];
}

bool is_judged_by_width(const Shape& shape) {
  if (shape.mode == Mode::ecb) return true;
  return (shape.mode == Mode::cbc || shape.mode == Mode::cfb128) && shape.direction == Direction::decrypt;
}

std::size_t telling_length(Claim claim, const Shape& shape) {
  const std::size_t segment = segment_units(shape.mode);
  if (claim == Claim::none) return segment;  // the rest of a call runs the same instructions again
  if (segment == 1) return 16;
  if (claim == Claim::kernel) return 64 * segment;  // so many that they outweigh the call itself
  if (!is_judged_by_width(shape)) return 4 * segment;
  // Sixteen vectors; what works on more at a time shows it in long calls.
  if (claim == Claim::aes_xmm || claim == Claim::xcrypt || claim == Claim::key_locker) return 16 * segment;
  return claim == Claim::vaes_ymm || claim == Claim::any ? 32 * segment : 64 * segment;
}

std::size_t long_length(const Shape& shape) { return 512 * segment_units(shape.mode); }

}  // namespace aesgate::witness
