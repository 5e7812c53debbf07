#include "fuzz/long_cases.h"

#include <numeric>

namespace aesgate {
namespace {

constexpr std::size_t period = 4096;  // bytes of input that are repeated

Case long_case(const Shape& shape, std::size_t length, bool in_place) {
  Bytes input(period);
  std::iota(input.begin(), input.end(), std::uint8_t{1});
  Case c = make_case(shape, Key(shape.key_size), Block{9}, std::move(input), period * 8 / unit_bits(shape.mode));
  c.chunks.clear();
  c.repeated_to = length;
  c.placement.in_place = in_place;
  c.origin = fmt::format("one call of {} {}", length, shape.mode == Mode::cfb1 ? "bits" : "bytes");
  return c;
}

}  // namespace

std::vector<Case> long_cases(const Shape& shape) {
  constexpr std::size_t two_to_31 = std::size_t{1} << 31, two_to_32 = std::size_t{1} << 32;
  std::vector<Case> cases;
  if (shape.key_size != KeySize::bits128) return cases;
  const bool segments = segment_units(shape.mode) == 1;
  if (segments && shape.direction == Direction::decrypt) return cases;
  // The low bits that are left of a length that is cut are a short call, and not none.
  cases.push_back(long_case(shape, two_to_32 + 80, false));
  if (!segments) cases.push_back(long_case(shape, two_to_31 + 48, true));
  return cases;
}

}  // namespace aesgate
