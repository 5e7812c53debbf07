#include "explain/clean_lines.h"

#include <algorithm>
#include <optional>

namespace aesgate::explain {
namespace {

std::string_view without_quotation(std::string_view text) {
  for (;;) {
    const std::size_t mark = text.find_first_not_of(' ');
    if (mark == std::string_view::npos || text[mark] != '>') return text;
    text.remove_prefix(mark + 1);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
}

void trim_end(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

/// "=3D" to "="; what is no such triple stays.
std::string decode_triples(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=' && i + 2 < text.size()) {
      const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high && low) {
        out += static_cast<char>(*high * 16 + *low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

/// Tabs and no-break spaces (also in UTF-8) to blanks; what else controls a terminal goes.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0xa0) {
      out += ' ';
      ++i;
    } else if (byte == '\t' || byte == 0xa0) {
      out += ' ';
    } else if (byte >= 0x20 && byte != 0x7f) {
      out += text[i];
    }
  }
  return out;
}

std::vector<Line> split(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({number, std::string(without_quotation(line))});
    trim_end(lines.back().text);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_soft_break(const std::string& line) { return line.ends_with('=') && !line.ends_with("=="); }

}  // namespace

std::vector<Line> clean_lines(std::string_view text) {
  std::vector<Line> lines = split(text);
  const bool quoted_printable = std::ranges::any_of(lines, [](const Line& line) { return is_soft_break(line.text); });
  std::vector<Line> out;
  bool continues = false;
  for (Line& line : lines) {
    const bool soft = quoted_printable && is_soft_break(line.text);
    if (soft) line.text.pop_back();
    if (continues)
      out.back().text += line.text;
    else
      out.push_back(std::move(line));
    continues = soft;
  }
  for (Line& line : out) {
    line.text = plain(quoted_printable ? decode_triples(line.text) : line.text);
    trim_end(line.text);
  }
  return out;
}

}  // namespace aesgate::explain
