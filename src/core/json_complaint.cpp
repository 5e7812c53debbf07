#include "core/json_complaint.h"

#include <optional>

#include <fmt/format.h>

#include "core/text_file.h"

namespace aesgate {
namespace {

constexpr std::size_t longest = 200;

std::optional<std::string_view> between(std::string_view text, std::string_view front, std::string_view back) {
  const std::size_t begin = text.find(front);
  if (begin == text.npos) return std::nullopt;
  text.remove_prefix(begin + front.size());
  const std::size_t end = back.empty() ? text.size() : text.find(back);
  return end == text.npos ? std::nullopt : std::optional(text.substr(0, end));
}

std::string belongs(std::string_view wanted, std::string_view found) {
  const auto with_article = [](std::string_view type) {
    if (type == "null") return std::string(type);
    return fmt::format("{} {}", type.starts_with('a') || type.starts_with('o') ? "an" : "a", type);
  };
  return fmt::format("{} belongs where {} is", with_article(wanted), with_article(found));
}

}  // namespace

std::string json_complaint(std::string_view what) {
  constexpr std::string_view numbered = "[json.exception.";
  if (!what.starts_with(numbered)) return std::string(what.substr(0, longest));
  what = what.substr(0, what.find("; last read: "));
  if (const std::size_t end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
  if (constexpr std::string_view front = "parse error"; what.starts_with(front)) {
    what.remove_prefix(front.size());
    if (constexpr std::string_view at = " at "; what.starts_with(at)) what.remove_prefix(at.size());
    return fmt::format("malformed JSON: {}", what.substr(0, longest));
  }
  if (const auto key = between(what, "key \'", "\' not found")) return fmt::format("\"{}\" is missing", excerpt(*key));
  if (const auto wanted = between(what, "type must be ", ", but is "))
    return belongs(*wanted, *between(what, ", but is ", ""));
  // at() and value() by a key; at() by a place in an array is the same words.
  if (what.starts_with("cannot use ")) {
    if (const auto found = between(what, ") with ", "")) return belongs("object", found->substr(found->rfind(' ') + 1));
  }
  if (what.starts_with("array index ")) return "an array has too few elements";
  if (what.starts_with("number overflow")) return "a number is too large";
  return std::string(what.substr(0, longest));
}

}  // namespace aesgate
