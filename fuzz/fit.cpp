#include "fuzz/fit.h"

#include <algorithm>

#include "fuzz/prng.h"

namespace aesgate {

void fit_chunks(Mode mode, std::size_t length, std::vector<std::size_t>& chunks) {
  std::size_t rest = length;
  std::vector<std::size_t> fitting;
  fitting.reserve(chunks.size() + 1);
  for (const std::size_t chunk : chunks) {
    if (is_probe(mode, chunk)) {
      fitting.push_back(chunk <= length + 16 ? chunk : 1 + chunk % 15);
      continue;
    }
    const std::size_t cut = std::min(chunk, rest);
    if (cut > 0 || chunk == 0) fitting.push_back(cut);
    rest -= cut;
  }
  if (rest > 0) fitting.push_back(rest);
  chunks = std::move(fitting);
}

void limit_chunks(Mode mode, std::size_t most, std::vector<std::size_t>& chunks) {
  if (chunks.size() <= most) return;
  std::size_t joined = 0;
  for (std::size_t i = most - 1; i < chunks.size(); ++i)
    if (!is_probe(mode, chunks[i])) joined += chunks[i];
  chunks.resize(most);
  chunks.back() = joined;
}

void resize(Case& c, std::size_t length) {
  const std::size_t before = c.input.size();
  c.length = length;
  c.input.resize(bytes_for(c.shape.mode, length));
  for (std::size_t i = before; i < c.input.size(); ++i) c.input[i] = filler(i);
  fit_chunks(c.shape.mode, length, c.chunks);
}

void reshape(Case& c, const Shape& shape, std::size_t longest) {
  if (shape.key_size != c.shape.key_size) {
    Key key(shape.key_size);
    const std::size_t common = std::min(key.bytes().size(), c.key.bytes().size());
    std::ranges::copy(c.key.bytes().first(common), key.bytes().begin());
    for (std::size_t i = common; i < key.bytes().size(); ++i) key.bytes()[i] = filler(i);
    c.key = std::move(key);
  }
  c.shape = shape;
  resize(c, fit_length(shape.mode, std::min(c.length, longest)));
}

std::uint8_t filler(std::size_t index) { return static_cast<std::uint8_t>(Prng(index).next()); }

}  // namespace aesgate
