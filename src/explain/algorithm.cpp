#include "explain/algorithm.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "explain/words.h"

namespace aesgate::explain {
namespace {

constexpr std::array<std::string_view, 11> modes{"ecb", "cbc", "cfb", "ofb", "ctr", "gcm",
                                                 "ccm", "xts", "ocb", "ige", "lrw"};

/// The runs of letters and of digits in a name, in lower case: "AES-128-CFB8" is aes, 128, cfb, 8.
std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> all;
  int last = 0;  // 1 letter, 2 digit
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const int kind = std::isalpha(byte) ? 1 : std::isdigit(byte) ? 2 : 0;
    if (kind != 0 && kind != last) all.emplace_back();
    if (kind != 0) all.back() += static_cast<char>(std::tolower(byte));
    last = kind;
  }
  return all;
}

bool is_key_size(std::string_view piece) { return piece == "128" || piece == "192" || piece == "256"; }

}  // namespace

std::optional<bool> Algorithm::serial() const {
  if (mode == "OFB") return true;
  if (mode == "ECB" || mode == "CTR" || mode == "XTS" || mode == "GCM") return false;
  if (!direction || (mode != "CBC" && !mode.starts_with("CFB"))) return std::nullopt;
  return *direction == Direction::encrypt;
}

std::string Algorithm::text() const { return direction ? fmt::format("{} {}", name, aesgate::name(*direction)) : name; }

Algorithm parse_algorithm(std::string_view text) {
  Algorithm algorithm;
  const std::vector<std::string> all = pieces(text);
  algorithm.name = std::string(text);
  algorithm.aes = std::ranges::any_of(all, [](const std::string& piece) { return piece == "aes"; });
  if (!algorithm.aes) return algorithm;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool after_cfb = i > 0 && all[i - 1] == "cfb";
    if (is_key_size(all[i]) && algorithm.key_bits == 0 && !(after_cfb && all[i] == "128"))
      algorithm.key_bits = static_cast<unsigned>(std::stoul(all[i]));
    if (algorithm.mode.empty() && std::ranges::find(modes, all[i]) != modes.end()) algorithm.mode = upper(all[i]);
    if (after_cfb && (all[i] == "1" || all[i] == "8" || all[i] == "128") && algorithm.mode == "CFB")
      algorithm.mode += all[i];
  }
  if (algorithm.mode == "CFB") algorithm.mode = "CFB128";
  algorithm.name = "AES";
  if (algorithm.key_bits != 0) algorithm.name += fmt::format("-{}", algorithm.key_bits);
  if (!algorithm.mode.empty()) algorithm.name += '-' + algorithm.mode;
  return algorithm;
}

}  // namespace aesgate::explain
