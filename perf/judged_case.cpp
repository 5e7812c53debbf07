#include "perf/judged_case.h"

#include <algorithm>
#include <random>
#include <span>

#include <fmt/format.h>

namespace aesgate {

Case make_judged_case(const Workload& workload, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto fill = [&](std::span<std::uint8_t> bytes) {
    std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(random()); });
  };
  Key key(workload.shape.key_size);
  fill(key.bytes());
  Block iv{};
  fill(iv);
  Bytes input(2 * workload.bytes);
  fill(input);
  const std::size_t call = workload.bytes * 8 / unit_bits(workload.shape.mode);
  Case c = make_case(workload.shape, std::move(key), iv, std::move(input), 2 * call);
  c.chunks = {call, call};
  c.placement.in_place = workload.in_place;
  c.placement.input = c.placement.output = {Spot::Edge::start, static_cast<std::uint16_t>(workload.offset)};
  c.origin = fmt::format("perf, seed {}", seed);
  return c;
}

}  // namespace aesgate
