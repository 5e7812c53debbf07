#include "report/text_table.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace aesgate {
namespace {

constexpr std::size_t line_columns = 100;
constexpr std::size_t gap = 2;

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
  const std::vector<std::size_t> widths = column_widths();
  std::string out;
  std::size_t from = 1;
  do {
    std::size_t to = from;
    std::size_t width = widths[0];
    while (to < widths.size() && (to == from || width + gap + widths[to] <= line_columns)) width += gap + widths[to++];
    if (from > 1) out += '\n';
    for (const auto& row : rows_) out += line(row, widths, from, to, colour);
    from = to;
  } while (from < widths.size());
  return out;
}

std::vector<std::size_t> TextTable::column_widths() const {
  std::vector<std::size_t> widths(rows_.empty() ? 1 : rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].text.size());
  return widths;
}

std::string TextTable::line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths, std::size_t from,
                            std::size_t to, bool colour) {
  // Padded before it is painted: escapes take no column.
  const auto padding = [&](std::size_t i) { return std::string(widths[i] - row[i].text.size(), ' '); };
  std::string out = painted(row[0].text, row[0].tone, colour) + padding(0);
  for (std::size_t i = from; i < to; ++i)
    out += std::string(gap, ' ') + padding(i) + painted(row[i].text, row[i].tone, colour);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
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
