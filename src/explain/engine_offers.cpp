#include "explain/engine_offers.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "explain/words.h"

namespace aesgate::explain {
namespace {

/// From one version on, and before another; as far as digits and dots compare.
struct Known {
  std::string_view from, before;
  Offer offer;
};

constexpr std::array known{
    Known{"0.9.7", "1.0.0", {"cryptodev", "0.9.7 and 0.9.8", "CBC", true}},
    Known{"1.0.0", "1.1.1", {"cryptodev", "1.0.0 to 1.1.0", "CBC CTR", false}},
    Known{"1.1.0", "1.1.1", {"afalg", "1.1.0", "CBC", true}},
    Known{"1.1.1", "4", {"afalg", "1.1.1 and 3.x", "CBC", false}},
    Known{"1.1.1", "4", {"devcrypto", "1.1.1 and 3.x", "ECB CBC CTR", false}},
    Known{"0.9.8", "4", {"padlock", "0.9.8 to 3.x", "ECB CBC CFB128 OFB CTR", false}},
};

std::vector<int> numbers(std::string_view version) {
  std::vector<int> all{0};
  for (const char c : version) {
    if (c == '.')
      all.push_back(0);
    else if (c >= '0' && c <= '9' && all.back() < 1000)
      all.back() = all.back() * 10 + (c - '0');
    else
      break;  // the letter of a patch
  }
  return all;
}

bool has_mode(std::string_view modes, const std::string& mode) {
  const auto all = words(modes);
  return std::find(all.begin(), all.end(), mode) != all.end();
}

}  // namespace

bool Offer::has(const Algorithm& algorithm) const {
  return (!only_128 || algorithm.key_bits == 128) && has_mode(modes, algorithm.mode);
}

std::string Offer::text() const {
  if (only_128) return fmt::format("AES-128-{} only", modes);
  std::string list;
  const auto all = words(modes);
  for (std::size_t i = 0; i < all.size(); ++i)
    list += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + std::string(all[i]);
  return "AES in " + list;
}

std::string Offer::nearest(const Algorithm& algorithm) const {
  const unsigned bits = only_128 || algorithm.key_bits == 0 ? 128 : algorithm.key_bits;
  return fmt::format("aes-{}-{}", bits, lower(has_mode(modes, algorithm.mode) ? algorithm.mode : "CBC"));
}

const Offer* find_offer(const Invocation& invocation) {
  if (invocation.major_version() < 0) return nullptr;
  const std::vector<int> version = numbers(invocation.version);
  for (const Known& entry : known)
    if (entry.offer.engine == invocation.engine && version >= numbers(entry.from) && version < numbers(entry.before))
      return &entry.offer;
  return nullptr;
}

}  // namespace aesgate::explain
