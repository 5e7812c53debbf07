#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aesgate {

/// What a piece of text says, for a terminal with colours.
enum class Tone { plain, good, bad };

/// `text` between ANSI escapes, or as it is without `colour`.
[[nodiscard]] std::string painted(std::string_view text, Tone tone, bool colour);

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

/// TextTable: rows of cells in aligned columns, the first to the left and the others to the right, two
/// blanks apart. A table wider than 100 columns is cut into several, each with the first column.
class TextTable {
 public:
  /// Every row has as many cells as the first, at least one.
  void add(std::vector<Cell> row);
  [[nodiscard]] std::string text(bool colour) const;
  /// No row but the heading, if that: not worth showing.
  [[nodiscard]] bool empty() const { return rows_.size() <= 1; }

 private:
  [[nodiscard]] std::vector<std::size_t> column_widths() const;
  /// The first cell of a row and those from `from` to before `to`.
  [[nodiscard]] static std::string line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
                                        std::size_t from, std::size_t to, bool colour);

  std::vector<std::vector<Cell>> rows_;
};

/// `text` after `head`, broken between words into lines of at most 100 columns; the lines after the first
/// are indented as far as `head` is wide.
[[nodiscard]] std::string wrapped(std::string_view head, std::string_view text);

}  // namespace aesgate
