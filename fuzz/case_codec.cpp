#include "fuzz/case_codec.h"

#include <algorithm>
#include <cassert>

#include "fuzz/fit.h"

namespace aesgate {
namespace {

constexpr std::size_t longest_key = 32;

/// The bytes in order; zeros once they are used up.
class Reader {
 public:
  explicit Reader(ByteView bytes) : rest_(bytes) {}

  std::size_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::size_t two_bytes() {
    const std::size_t low = byte();
    return low | byte() << 8;
  }
  void skip(std::size_t count) { rest_ = rest_.subspan(std::min(count, rest_.size())); }
  void read(std::span<std::uint8_t> target) {
    for (std::uint8_t& value : target) value = static_cast<std::uint8_t>(byte());
  }
  [[nodiscard]] ByteView rest() const { return rest_; }

 private:
  ByteView rest_;
};

void put_two_bytes(Bytes& bytes, std::size_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value & 0xff));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}

template <typename Range, typename Value>
std::uint8_t place_of(const Range& range, const Value& value) {
  return static_cast<std::uint8_t>(std::ranges::find(range, value) - range.begin());
}

template <typename P>
auto spots(P& placement) {
  return std::array{&placement.input, &placement.output, &placement.key, &placement.iv};
}

}  // namespace

bool can_encode(const Case& c) {
  const Conditions& conditions = c.conditions;
  const bool quick = !conditions.timer && !conditions.migration && conditions.threads == 0 &&
                     (conditions.company == 0 || conditions.company == coded_company);
  return c.validate().has_value() && c.monte_carlo_steps == 0 && c.repeated_to == 0 && quick &&
         c.placement.context.distance <= 1 && c.length <= max_length(c.shape.mode) && c.chunks.size() <= max_chunks;
}

Bytes encode(const Case& c) {
  assert(can_encode(c));
  Bytes bytes;
  bytes.reserve(max_encoded_bytes);
  bytes.push_back(place_of(all_modes, c.shape.mode));
  bytes.push_back(place_of(all_directions, c.shape.direction));
  bytes.push_back(place_of(all_key_sizes, c.shape.key_size));
  std::size_t flags = c.placement.in_place ? 1 : 0;
  std::size_t bit = 1;
  for (const Spot* spot : spots(c.placement)) flags |= std::size_t{spot->edge == Spot::Edge::end} << bit++;
  flags |= static_cast<std::size_t>(c.conditions.memory) << 5 | std::size_t{c.conditions.company > 0} << 7;
  bytes.push_back(static_cast<std::uint8_t>(flags));
  for (const Spot* spot : spots(c.placement)) bytes.push_back(static_cast<std::uint8_t>(spot->distance));
  put_two_bytes(bytes, c.length);
  const ByteView key = c.key.bytes();
  bytes.insert(bytes.end(), key.begin(), key.end());
  bytes.resize(bytes.size() + longest_key - key.size());
  bytes.insert(bytes.end(), c.iv.begin(), c.iv.end());
  const Spot& context = c.placement.context;
  bytes.push_back(static_cast<std::uint8_t>(c.chunks.size() | std::size_t{context.edge == Spot::Edge::start} << 6 |
                                            std::size_t{context.distance} << 7));
  for (const std::size_t chunk : c.chunks) put_two_bytes(bytes, chunk);
  bytes.insert(bytes.end(), c.input.begin(), c.input.end());
  return bytes;
}

Case decode(ByteView bytes) {
  Reader reader(bytes);
  Case c;
  c.shape.mode = all_modes[reader.byte() % all_modes.size()];
  c.shape.direction = all_directions[reader.byte() % all_directions.size()];
  c.shape.key_size = all_key_sizes[reader.byte() % all_key_sizes.size()];
  const std::size_t flags = reader.byte();
  c.placement.in_place = (flags & 1) != 0;
  std::size_t bit = 1;
  for (Spot* spot : spots(c.placement)) {
    spot->edge = (flags >> bit++ & 1) != 0 ? Spot::Edge::end : Spot::Edge::start;
    spot->distance = static_cast<std::uint16_t>(reader.byte());
  }
  c.conditions.memory = static_cast<Conditions::Memory>(flags >> 5 & 3);
  c.conditions.company = (flags >> 7 & 1) != 0 ? coded_company : 0;
  const Mode mode = c.shape.mode;
  c.length = fit_length(mode, reader.two_bytes() % (max_length(mode) + 1));
  c.key = Key(c.shape.key_size);
  reader.read(c.key.bytes());
  reader.skip(longest_key - c.key.bytes().size());
  reader.read(c.iv);
  const std::size_t count_and_context = reader.byte();
  c.placement.context.edge = (count_and_context >> 6 & 1) != 0 ? Spot::Edge::start : Spot::Edge::end;
  c.placement.context.distance = static_cast<std::uint16_t>(count_and_context >> 7);
  c.chunks.resize(count_and_context % (max_chunks + 1));
  for (std::size_t& chunk : c.chunks) chunk = reader.two_bytes();
  fit_chunks(mode, c.length, c.chunks);
  limit_chunks(mode, max_chunks, c.chunks);
  c.input.resize(bytes_for(mode, c.length));
  const std::size_t there = std::min(c.input.size(), reader.rest().size());
  std::ranges::copy(reader.rest().first(there), c.input.begin());
  for (std::size_t i = there; i < c.input.size(); ++i) c.input[i] = filler(i);
  return c;
}

}  // namespace aesgate
