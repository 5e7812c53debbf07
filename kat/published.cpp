#include "kat/published.h"

#include <algorithm>
#include <cstdlib>

namespace aesgate {
namespace {

template <typename T>
T valid(Result<T> result) {
  if (!result) std::abort();
  return std::move(*result);
}

}  // namespace

Case published_case(Mode mode, Direction direction, std::string_view key, std::string_view iv, std::string_view input,
                    std::string_view output) {
  Key k = valid(Key::from(valid(from_hex(key))));
  Block block{};
  if (const Bytes bytes = valid(from_hex(iv)); bytes.size() == block.size()) std::ranges::copy(bytes, block.begin());
  Bytes text = valid(from_hex(input));
  const std::size_t length = text.size() * 8 / unit_bits(mode);
  const Shape shape{mode, direction, k.size()};
  Case c = make_case(shape, std::move(k), block, std::move(text), length);
  c.expected = valid(from_hex(output));
  if (!c.validate() || iv.empty() == has_iv(mode)) std::abort();
  return c;
}

}  // namespace aesgate
