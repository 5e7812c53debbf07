#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aesgate::explain {

/// Line: of a text, as its author saw it.
struct Line {
  std::size_t number = 0;  // of the line in the file where it begins, from 1
  std::string text;
};

/// The lines of a text that may have come by mail: without line ends of any system, marks of quotation ("> "), blanks
/// at the end, tabs and no-break spaces; quoted-printable (RFC 2045 section 6.7) is decoded where some line ends in its
/// soft line break. Lines that a mailer wrapped are left to the readers, who know what a line should hold.
[[nodiscard]] std::vector<Line> clean_lines(std::string_view text);

}  // namespace aesgate::explain
