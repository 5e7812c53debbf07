#include "core/text_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

namespace aesgate {
namespace {

constexpr std::size_t buffer_size = 1u << 16;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

}  // namespace

Result<TextReader> TextReader::open(const std::filesystem::path& path) {
  TextReader reader;
  reader.name_ = path.string();
  // Without O_NONBLOCK a FIFO that nobody writes to would be waited for; it is an empty file.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return error("{}: {}", reader.name_, std::strerror(errno));
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  reader.file_.reset(fdopen(descriptor, "rb"));
  if (!reader.file_) return error("{}: {}", reader.name_, std::strerror(errno));
  struct stat status {};
  if (fstat(fileno(reader.file_.get()), &status) != 0) return error("{}: {}", reader.name_, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return error("{}: is a directory; name a file", reader.name_);
  reader.buffer_.resize(buffer_size);
  return reader;
}

TextReader TextReader::from(std::string_view text, std::string name) {
  TextReader reader;
  reader.name_ = std::move(name);
  reader.rest_ = text;
  return reader;
}

Result<bool> TextReader::refill() {
  if (!file_) return false;
  const std::size_t got = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
  if (got == 0 && std::ferror(file_.get())) return error("{}: {}", name_, std::strerror(errno));
  rest_ = {buffer_.data(), got};
  return got > 0;
}

Result<std::optional<std::string_view>> TextReader::next() {
  text_.clear();
  bool any = false;
  for (bool ended = false; !ended;) {
    if (rest_.empty()) {
      const Result<bool> more = refill();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
    }
    if (!any) {
      any = true;
      ++line_;
    }
    const std::size_t end = rest_.find('\n');
    ended = end != std::string_view::npos;
    const std::string_view part = rest_.substr(0, end);
    if (const auto bad = std::ranges::find_if(part, is_control); bad != part.end()) {
      if (*bad == '\r') return error_here("the line ends in CR LF; convert the file to LF (dos2unix)");
      return error_here("byte 0x{:02x}: this is no text file", static_cast<unsigned char>(*bad));
    }
    if (text_.size() + part.size() > max_line)
      return error_here("the line is longer than {} MiB; is this the right file?", max_line >> 20);
    text_ += part;
    rest_.remove_prefix(ended ? end + 1 : rest_.size());
  }
  if (!any) return std::nullopt;
  return std::string_view(text_);
}

std::optional<Field> split_field(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const Field field{trim(line.substr(0, equals)), trim(line.substr(equals + 1))};
  if (field.name.empty()) return std::nullopt;
  return field;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<std::size_t> parse_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::result_out_of_range) return error("\"{}\" is too large", excerpt(text));
  if (status != std::errc() || end != text.data() + text.size())
    return error("\"{}\" is no decimal number", excerpt(text));
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

namespace {

/// How many bytes the character at the front of `text` has; 0 if it is none of UTF-8 (RFC 3629).
std::size_t character(std::string_view text, char32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size == 0 || size > text.size()) return 0;
  code = size == 1 ? first : first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  return too_long || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0 : size;
}

bool is_printed(char32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  // Line separators, and marks of direction (Unicode's Bidi_Control).
  return !(code == 0x061c || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069));
}

}  // namespace

std::string said(std::span<const char> buffer) {
  std::string_view text(buffer.data(), buffer.size());
  text = text.substr(0, text.find('\0'));
  std::string out;
  while (!text.empty()) {
    char32_t code = 0;
    const std::size_t size = character(text, code);
    if (size > 0 && is_printed(code))
      out += text.substr(0, size);
    else
      out += '?';
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return text.size() > longest ? out + "…" : out;
}

}  // namespace aesgate
