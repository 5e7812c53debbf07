#include "fuzz/failure_class.h"

#include <cctype>

namespace aesgate {
namespace {

/// A class has to be a line and a name; what a backend says may be anything.
constexpr std::size_t longest = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string without_numbers(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size() && plain.size() < longest; ++i) {
    const char c = text[i];
    // A digit within a word is part of a name: "r12", "CFB8".
    if (is_digit(c) && (i == 0 || !is_word(text[i - 1]))) {
      while (i + 1 < text.size() && is_word(text[i + 1])) ++i;
      plain += 'N';
    } else {
      plain += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return plain;
}

std::string class_of(const Judgement& judgement) {
  std::string_view what = judgement.difference ? judgement.difference->field : judgement.reason;
  what = what.substr(0, what.find(": expected"));
  return fmt::format("{}: {}", name(judgement.verdict), without_numbers(what));
}

std::string finding_key(std::string_view backend, const Shape& shape, const Judgement& judgement) {
  return fmt::format("{}; {}; {}", backend, name(shape), class_of(judgement));
}

}  // namespace aesgate
