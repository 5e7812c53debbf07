#include "kat/acvp_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aesgate::acvp {
namespace {

constexpr std::size_t buffer_size = 1u << 16;

bool ends_token(char c) {
  switch (c) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',': return true;
    default: return false;
  }
}

}  // namespace

Result<std::unique_ptr<Source>> Source::open(const std::filesystem::path& path) {
  std::unique_ptr<Source> source(new Source(path.string()));
  // Without O_NONBLOCK a FIFO that nobody writes to would be waited for.
  source->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (source->descriptor_ < 0) return error("{}: {}", source->name_, std::strerror(errno));
  struct stat status {};
  if (fstat(source->descriptor_, &status) != 0) return error("{}: {}", source->name_, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return error("{}: is a directory; name a file", source->name_);
  if (!S_ISREG(status.st_mode))
    return error("{}: is no regular file, and a vector set is read more than once; save it to a file", source->name_);
  source->buffer_.resize(buffer_size);
  return source;
}

std::unique_ptr<Source> Source::from(std::string_view text, std::string name) {
  std::unique_ptr<Source> source(new Source(std::move(name)));
  source->text_ = text;
  source->buffer_.resize(buffer_size);
  return source;
}

Source::~Source() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> Source::rewind() {
  if (descriptor_ >= 0 && lseek(descriptor_, 0, SEEK_SET) != 0) return error("{}: {}", name_, std::strerror(errno));
  setg(nullptr, nullptr, nullptr);
  broken_.reset();
  bytes_ = 0;
  token_bytes_ = 0;
  in_string_ = escaped_ = false;
  return {};
}

std::string_view Source::read() {
  if (descriptor_ < 0) {
    const std::string_view part = text_.substr(std::min<std::size_t>(bytes_, text_.size()), buffer_.size());
    std::ranges::copy(part, buffer_.begin());
    return {buffer_.data(), part.size()};
  }
  for (;;) {
    const ssize_t got = ::read(descriptor_, buffer_.data(), buffer_.size());
    if (got >= 0) return {buffer_.data(), static_cast<std::size_t>(got)};
    if (errno == EINTR) continue;
    broken_ = Error{std::strerror(errno)};
    return {};
  }
}

Source::int_type Source::underflow() {
  if (broken_) return traits_type::eof();
  const std::string_view text = read();
  if (text.empty()) return traits_type::eof();
  bytes_ += text.size();
  // A parser may take it for the end of the text.
  if (text.find('\0') != std::string_view::npos) {
    broken_ = Error{"a byte of value 0; is this the right file?"};
    return traits_type::eof();
  }
  if (!tokens_fit(text)) {
    broken_ = Error{fmt::format("a string or number of more than {} MiB; is this the right file?", max_token >> 20)};
    return traits_type::eof();
  }
  setg(buffer_.data(), buffer_.data(), buffer_.data() + text.size());
  return traits_type::to_int_type(buffer_.front());
}

bool Source::tokens_fit(std::string_view text) {
  for (const char c : text) {
    if (in_string_) {
      in_string_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else {
      in_string_ = c == '"';
      if (in_string_ || ends_token(c)) token_bytes_ = 0;
    }
    if (++token_bytes_ > max_token) return false;
  }
  return true;
}

}  // namespace aesgate::acvp
