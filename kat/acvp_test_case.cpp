#include "kat/acvp_test_case.h"

#include <algorithm>

#include "kat/monte_carlo.h"

namespace aesgate::acvp {
namespace {

template <typename T>
Result<bool> put(std::optional<T>& target, Result<T> value) {
  if (!value) return tl::unexpected(value.error());
  target = std::move(*value);
  return true;
}

Result<Key> make_key(const std::optional<Bytes>& bytes, KeySize size) {
  if (!bytes) return missing("key");
  if (bytes->size() != key_bytes(size))
    return error("/key: {} bits, but the group's keyLen is {}", 8 * bytes->size(), bits(size));
  return Key::from(*bytes);
}

Result<Block> make_iv(const std::optional<Bytes>& bytes, Mode mode) {
  Block iv{};
  if (!has_iv(mode)) {
    if (bytes) return error("/iv: {} has none", name(mode));
    return iv;
  }
  if (!bytes) return missing("iv");
  if (bytes->size() != block_bytes) return error("/iv: {} bytes; an IV has {}", bytes->size(), block_bytes);
  std::ranges::copy(*bytes, iv.begin());
  return iv;
}

/// The units of the text, which `text` and payloadLen both tell.
Result<std::size_t> length_of(const char* text, const Bytes& bytes, std::optional<std::uint64_t> payload_len,
                              Mode mode) {
  if (mode == Mode::cfb1) {
    if (!payload_len) return missing("payloadLen");
    if (*payload_len > 8 * bytes.size() || bytes_for(mode, *payload_len) != bytes.size())
      return error("/{}: {} byte{}, but payloadLen is {} bit{}", text, bytes.size(), bytes.size() == 1 ? "" : "s",
                   *payload_len, *payload_len == 1 ? "" : "s");
    return *payload_len;
  }
  if (payload_len && (*payload_len % 8 != 0 || *payload_len / 8 != bytes.size()))
    return error("/{}: {} bits, but payloadLen is {}", text, 8 * bytes.size(), *payload_len);
  if (!takes_length(mode, bytes.size()))
    return error("/{}: {} bytes; {} takes multiples of {}", text, bytes.size(), name(mode), block_bytes);
  return bytes.size();
}

}  // namespace

Result<bool> TestMembers::take(std::string_view name, const Value& value) {
  if (name == "tcId") return put(tc_id, whole_number(value));
  if (name == "payloadLen") return put(payload_len, whole_number(value));
  if (name == "key") return put(key, hexadecimal(value));
  if (name == "iv") return put(iv, hexadecimal(value));
  if (name == "pt") return put(pt, hexadecimal(value));
  if (name == "ct") return put(ct, hexadecimal(value));
  return false;
}

Result<Case> TestMembers::make(Mode mode, const GroupHead& group) {
  const bool encrypts = group.direction == Direction::encrypt;
  const char* text = encrypts ? "pt" : "ct";
  std::optional<Bytes>& input = encrypts ? pt : ct;
  if (encrypts ? ct : pt)
    return error("/{}: the group's direction is {}, so this would be the answer; is this a prompt?",
                 encrypts ? "ct" : "pt", name(group.direction));
  if (!input) return missing(text);
  auto made_key = make_key(key, group.key_size);
  if (!made_key) return tl::unexpected(made_key.error());
  const auto made_iv = make_iv(iv, mode);
  if (!made_iv) return tl::unexpected(made_iv.error());
  const auto length = length_of(text, *input, payload_len, mode);
  if (!length) return tl::unexpected(length.error());
  if (group.monte_carlo && *length != segment_units(mode))
    return error("/{}: {} {}; a Monte Carlo test in {} begins with {}", text, *length,
                 mode == Mode::cfb1 ? "bits" : "bytes", name(mode), segment_units(mode));
  // "Only the most significant 'payloadLen' bits will be used."
  for (std::size_t bit = *length * unit_bits(mode); bit < 8 * input->size(); ++bit) set_bit(*input, bit, false);
  Case c =
      make_case({mode, group.direction, group.key_size}, std::move(*made_key), *made_iv, std::move(*input), *length);
  if (group.monte_carlo) {
    c.chunks.clear();
    c.monte_carlo_steps = monte_carlo::inner_steps;
  }
  return c;
}

}  // namespace aesgate::acvp
