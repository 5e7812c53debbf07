#include "witness/call_kind.h"

#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace aesgate::witness {
namespace {

constexpr std::array<CallKind, 3> kinds{{{.is_long = true},
                                         {.is_second = true, .in_place = true},
                                         {.is_long = true, .is_second = true, .misaligned = true}}};

}  // namespace

std::string to_text(const CallKind& kind) {
  std::string text;
  const auto add = [&text](bool is_so, const char* words) {
    if (is_so) text += fmt::format("{}{}", text.empty() ? "" : ", ", words);
  };
  add(kind.is_long, "long");
  add(kind.is_second, "second of its message");
  add(kind.in_place, "in place");
  add(kind.misaligned, "misaligned");
  return text;
}

std::vector<std::vector<CallKind>> further_calls(std::span<const std::size_t> shapes) {
  std::map<std::pair<Mode, Direction>, std::vector<std::size_t>> places;
  for (std::size_t place = 0; place < shapes.size(); ++place) {
    const Shape& shape = all_shapes()[shapes[place]];
    places[{shape.mode, shape.direction}].push_back(place);
  }
  std::vector<std::vector<CallKind>> calls(shapes.size());
  for (const auto& [group, members] : places)
    for (std::size_t i = 0; i < kinds.size(); ++i)
      calls[members[(i + static_cast<std::size_t>(group.first)) % members.size()]].push_back(kinds[i]);
  return calls;
}

std::size_t further_length(const Shape& shape) { return segment_units(shape.mode) == 1 ? 1024 : 4096; }

// Whole bytes of CFB1, and no block of CFB128 or OFB under way.
std::size_t first_length(const Shape& shape) { return segment_units(shape.mode) == 1 ? 8 : 16; }

}  // namespace aesgate::witness
