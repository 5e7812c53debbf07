#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace aesgate {

/// TextReader: the lines of a file or a string, for parsers whose errors name file and line. Memory stays
/// bounded whatever the file holds: a line longer than max_line is an Error, and so is one that ends
/// in CR LF or holds a control character, since no format read here has either.
class TextReader {
 public:
  static constexpr std::size_t max_line = 64u << 20;

  /// An Error if the file cannot be opened or is no regular file.
  [[nodiscard]] static Result<TextReader> open(const std::filesystem::path& path);
  /// Reads `text`, which must outlive the reader; `name` stands for the file in errors.
  [[nodiscard]] static TextReader from(std::string_view text, std::string name);

  /// The next line without its line end, valid until the next call; nothing at the end of the file.
  [[nodiscard]] Result<std::optional<std::string_view>> next();

  /// The number of the line that next() gave last, counted from 1; 0 before the first.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// An Error that begins "NAME:LINE: ".
  template <typename... Args>
  [[nodiscard]] tl::unexpected<Error> error_here(fmt::format_string<Args...> format, Args&&... args) const {
    return error("{}:{}: {}", name_, line_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[nodiscard]] Result<bool> refill();

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;  // null: the text is all there is
  std::vector<char> buffer_;
  std::string_view rest_;
  std::string text_;
  std::size_t line_ = 0;
};

/// Field: one "NAME = VALUE" line, without the blanks around either.
struct Field {
  std::string_view name;
  std::string_view value;
};

/// The field in a line; nothing if it has no "=" or no name.
[[nodiscard]] std::optional<Field> split_field(std::string_view line);

/// `text` without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// A decimal number without sign; an Error if there is anything else, or it does not fit.
[[nodiscard]] Result<std::size_t> parse_number(std::string_view text);

/// The parts of `text` between `separator`s, each trimmed; one empty part if `text` is empty.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// What a backend has put into a buffer: up to the first byte of value 0, or all of it. One line of UTF-8 without
/// control characters and without those that change the direction of what is beside them, whatever it was.
[[nodiscard]] std::string said(std::span<const char> buffer);

/// `text` short enough to quote in one line of an error, unprintable characters replaced.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace aesgate
