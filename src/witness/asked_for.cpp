#include "witness/asked_for.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace aesgate::witness {
namespace {

constexpr std::array<std::string_view, 18> modes{"ecb", "cbc",  "cfb1", "cfb8", "cfb128",      "cfb",
                                                 "ofb", "ctr",  "gcm",  "ccm",  "xts",         "ocb",
                                                 "siv", "wrap", "kw",   "kwp",  "xts-plain64", "gcm-siv"};

template <typename Item>
void add_once(std::vector<Item>& items, Item item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(std::move(item));
}

bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

void skip_separator(std::string_view& text) {
  if (text.starts_with('-') || text.starts_with('_')) text.remove_prefix(1);
}

/// The value of "-NAME VALUE" or "-NAME=VALUE", with one dash or two, at `at`; empty if it is not there.
std::string value_of(const std::vector<std::string>& words, std::size_t at, std::string_view name) {
  std::string_view word = words[at];
  if (!take(word, "-")) return {};
  take(word, "-");
  if (!take(word, name)) return {};
  if (word.empty()) return at + 1 < words.size() ? words[at + 1] : std::string();
  return take(word, "=") ? std::string(word) : std::string();
}

}  // namespace

std::string AskedAlgorithm::name() const {
  std::string text = "AES";
  if (key_bits != 0) text += fmt::format("-{}", key_bits);
  if (!mode.empty()) text += '-' + mode;
  return text;
}

std::optional<AskedAlgorithm> asked_algorithm(std::string_view argument) {
  std::string lower(argument.substr(0, 40));
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view rest = lower;
  take(rest, "-");
  take(rest, "-");
  for (const std::string_view option : {"cipher=", "evp=", "algorithm="}) take(rest, option);
  if (!take(rest, "aes")) return std::nullopt;
  AskedAlgorithm algorithm;
  skip_separator(rest);
  for (const unsigned bits : {128u, 192u, 256u})
    if (algorithm.key_bits == 0 && take(rest, std::to_string(bits))) algorithm.key_bits = bits;
  if (algorithm.key_bits != 0) skip_separator(rest);
  if (rest.empty()) return algorithm;
  if (std::find(modes.begin(), modes.end(), rest) == modes.end()) return std::nullopt;
  algorithm.mode = std::string(rest.substr(0, rest.find("-plain")));
  for (char& c : algorithm.mode) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return algorithm;
}

AskedFor asked_for(const std::vector<std::vector<std::string>>& commands) {
  AskedFor asked;
  for (const auto& words : commands)
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (auto algorithm = asked_algorithm(words[i])) add_once(asked.algorithms, std::move(*algorithm));
      if (auto engine = value_of(words, i, "engine"); !engine.empty()) add_once(asked.engines, std::move(engine));
      if (auto provider = value_of(words, i, "provider"); !provider.empty())
        add_once(asked.providers, std::move(provider));
    }
  return asked;
}

}  // namespace aesgate::witness
