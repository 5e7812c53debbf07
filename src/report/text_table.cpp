#include "report/text_table.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace aesgate {
namespace {

constexpr std::size_t line_columns = 100;

}  // namespace

std::string painted(std::string_view text, Tone tone, bool colour) {
  if (!colour || tone == Tone::plain) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", tone == Tone::good ? "32" : "1;31", text);
}

void TextTable::add(std::vector<Cell> row) {
  assert(rows_.empty() || rows_.front().size() == row.size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text(bool colour) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].text.size());
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      // Padded before it is painted: escapes take no column.
      const std::string padding(widths[i] - row[i].text.size(), ' ');
      const std::string cell = painted(row[i].text, row[i].tone, colour);
      out += i == 0 ? cell + padding : "  " + padding + cell;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string wrapped(std::string_view head, std::string_view text) {
  std::string out;
  std::string line(head);
  const std::string indent(head.size(), ' ');
  bool empty = true;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (!empty && line.size() + 1 + word.size() > line_columns) {
      out += line + '\n';
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return out + line + '\n';
}

}  // namespace aesgate
