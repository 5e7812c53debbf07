#include "explain/words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace aesgate::explain {
namespace {

template <typename Change>
std::string each(std::string_view text, Change change) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) all.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string lower(std::string_view text) {
  return each(text, [](unsigned char c) { return std::tolower(c); });
}

std::string upper(std::string_view text) {
  return each(text, [](unsigned char c) { return std::toupper(c); });
}

bool mentions(std::string_view text, std::string_view part) { return lower(text).find(part) != std::string::npos; }

std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(0, end);
}

std::optional<double> parse_decimal(std::string_view text) {
  if (text.empty() || text.size() > 40 || !std::isdigit(static_cast<unsigned char>(text.front()))) return std::nullopt;
  std::string point(text);
  std::ranges::replace(point, ',', '.');
  double value = 0;
  const char* const end = point.data() + point.size();
  const auto [stop, status] = std::from_chars(point.data(), end, value, std::chars_format::fixed);
  if (status != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || stop != end || value == 0 || value > (std::size_t{1} << 40)) return std::nullopt;
  return value;
}

}  // namespace aesgate::explain
