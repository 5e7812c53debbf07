#include "core/plan.h"

namespace aesgate {
namespace {

constexpr std::array<std::string_view, 3> effort_names{"quick", "normal", "deep"};

}  // namespace

std::string_view name(Effort effort) { return effort_names[static_cast<std::size_t>(effort)]; }

Result<Effort> parse_effort(std::string_view text) {
  for (const Effort effort : {Effort::quick, Effort::normal, Effort::deep})
    if (text == name(effort)) return effort;
  return error("unknown effort \"{}\"; known: {}", text, fmt::join(effort_names, ", "));
}

std::vector<Shape> Plan::shapes(Mode mode) const {
  std::vector<Shape> shapes;
  for (const Direction direction : all_directions)
    for (const KeySize key_size : key_sizes) shapes.push_back({mode, direction, key_size});
  return shapes;
}

}  // namespace aesgate
