#include "fuzz/choose.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fuzz/prng.h"

namespace aesgate {
namespace {

/// FNV-1a, 64 bits, from `hash` on: std::hash is not the same with every library.
std::uint64_t add(std::uint64_t hash, ByteView bytes) {
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

constexpr std::uint64_t no_bytes = 0xcbf29ce484222325u;

}  // namespace

std::vector<const aesgate_backend*> choose_backends(ByteView input, std::span<const aesgate_backend* const> backends,
                                                    std::size_t count) {
  std::vector<const aesgate_backend*> chosen(backends.begin(), backends.end());
  if (chosen.size() <= count) return chosen;
  const std::uint64_t start = add(no_bytes, input);
  std::vector<std::pair<std::uint64_t, const aesgate_backend*>> ranked;
  ranked.reserve(backends.size());
  for (const aesgate_backend* backend : backends) {
    const auto* name = reinterpret_cast<const std::uint8_t*>(backend->name);
    // Mixed once more: the high bits of FNV-1a hardly depend on the last bytes, which are the name's.
    ranked.emplace_back(Prng(add(start, {name, std::strlen(backend->name)})).next(), backend);
  }
  std::ranges::nth_element(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(count), {},
                           &std::pair<std::uint64_t, const aesgate_backend*>::first);
  chosen.resize(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = ranked[i].second;
  return chosen;
}

}  // namespace aesgate
