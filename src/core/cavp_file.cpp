#include "core/cavp_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace aesgate {
namespace {

struct FileKind {
  Mode mode;
  KeySize key_size;
};

/// "CFB128MMT256.rsp": the mode in front, the key size at the end. "CFB1" begins "CFB128" too, so the longest wins.
Result<FileKind> kind_of(std::string_view file_name) {
  const auto problem = [&](std::string_view what) {
    return error("{}: the name does not {}; expected MODE, a test and the key's bits, as in CBCMMT128.rsp",
                 excerpt(file_name), what);
  };
  std::optional<Mode> mode;
  for (const Mode candidate : all_modes)
    if (file_name.starts_with(name(candidate)) && (!mode || name(candidate).size() > name(*mode).size()))
      mode = candidate;
  if (!mode) return problem("begin with a mode");
  if (!file_name.ends_with(".rsp")) return problem("end in .rsp");
  const std::string_view stem = file_name.substr(0, file_name.size() - 4);
  for (const KeySize size : all_key_sizes)
    if (stem.size() >= name(*mode).size() + 3 && stem.ends_with(std::to_string(bits(size))))
      return FileKind{*mode, size};
  return problem("end in a key size");
}

/// A text of a vector, and its length in units.
struct Text {
  Bytes bytes;
  std::size_t length = 0;
};

Result<Text> parse_text(Mode mode, std::string_view value) {
  if (mode != Mode::cfb1) {
    Result<Bytes> bytes = from_hex(value);
    if (!bytes) return tl::unexpected(bytes.error());
    const std::size_t length = bytes->size();
    if (!takes_length(mode, length)) return error("{} bytes; {} takes multiples of 16", length, name(mode));
    return Text{std::move(*bytes), length};
  }
  Text text{Bytes(bytes_for(mode, value.size())), value.size()};
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '0' && value[i] != '1') return error("column {} of the value is no bit, 0 or 1", i + 1);
    set_bit(text.bytes, i, value[i] == '1');
  }
  return text;
}

/// The fields of one vector, as they come.
struct Vector {
  std::size_t line = 0;  // of COUNT
  std::size_t count = 0;
  std::optional<Key> key;
  std::optional<Block> iv;
  std::optional<Text> plaintext;
  std::optional<Text> ciphertext;
};

class Parser {
 public:
  Parser(TextReader& reader, std::string_view file_name, FileKind kind)
      : reader_(reader), file_name_(file_name), kind_(kind) {}

  Result<std::vector<Case>> run() {
    for (;;) {
      const auto line = reader_.next();
      if (!line) return tl::unexpected(line.error());
      if (!*line) break;
      if (const auto taken = take_line(trim(**line)); !taken) return tl::unexpected(taken.error());
    }
    if (const auto ended = end_vector(); !ended) return tl::unexpected(ended.error());
    if (cases_.empty())
      return error("{}:{}: COUNT: there is no vector in this file", reader_.name(),
                   std::max<std::size_t>(1, reader_.line()));
    if (announced_ && cases_.size() != *announced_)
      return error("{}:{}: the file ends after {} vectors, but its head announces {}; was it cut?", reader_.name(),
                   reader_.line(), cases_.size(), *announced_);
    return std::move(cases_);
  }

 private:
  Result<void> take_line(std::string_view line) {
    if (line.empty()) return end_vector();
    if (line.starts_with('#')) return take_comment(line);
    if (line.starts_with('[')) return begin_section(line);
    const auto field = split_field(line);
    if (!field) return reader_.error_here("\"{}\" is neither a section nor a \"NAME = VALUE\" line", excerpt(line));
    if (field->name == "COUNT") return begin_vector(field->value);
    return take_field(*field);
  }

  Result<void> take_comment(std::string_view line) {
    static constexpr std::string_view announcement = "# Vectors:";
    if (!line.starts_with(announcement)) return {};
    const Result<std::size_t> count = parse_number(trim(line.substr(announcement.size())));
    if (!count) return reader_.error_here("Vectors: {}", count.error().message);
    announced_ = *count;
    return {};
  }

  Result<void> begin_section(std::string_view line) {
    if (const auto ended = end_vector(); !ended) return ended;
    if (line != "[ENCRYPT]" && line != "[DECRYPT]")
      return reader_.error_here("{}: unknown section; known: [ENCRYPT], [DECRYPT]", excerpt(line));
    direction_ = line == "[ENCRYPT]" ? Direction::encrypt : Direction::decrypt;
    next_count_ = 0;
    return {};
  }

  Result<void> begin_vector(std::string_view value) {
    if (const auto ended = end_vector(); !ended) return ended;
    if (!direction_) return reader_.error_here("COUNT: a vector before the first section, [ENCRYPT] or [DECRYPT]");
    const Result<std::size_t> count = parse_number(value);
    if (!count) return reader_.error_here("COUNT: {}", count.error().message);
    if (*count != next_count_) return reader_.error_here("COUNT: {}, where {} comes next", *count, next_count_);
    ++next_count_;
    vector_.emplace();
    vector_->line = reader_.line();
    vector_->count = *count;
    return {};
  }

  Result<void> take_field(const Field& field) {
    if (field.name == "KEY") return take(field, &Vector::key, [&](std::string_view value) { return parse_key(value); });
    if (field.name == "IV") {
      if (!has_iv(kind_.mode)) return reader_.error_here("IV: {} has no such field", name(kind_.mode));
      return take(field, &Vector::iv, parse_iv);
    }
    const auto text = [&](std::string_view value) { return parse_text(kind_.mode, value); };
    if (field.name == "PLAINTEXT") return take(field, &Vector::plaintext, text);
    if (field.name == "CIPHERTEXT") return take(field, &Vector::ciphertext, text);
    return reader_.error_here("{}: unknown field; known: COUNT, KEY, IV, PLAINTEXT, CIPHERTEXT", excerpt(field.name));
  }

  /// The value of `field`, through `parse`, into a member of the vector, once.
  template <typename T, typename Parse>
  Result<void> take(const Field& field, std::optional<T> Vector::*member, Parse parse) {
    if (!vector_) return reader_.error_here("{}: outside a vector, which begins with COUNT", field.name);
    if (*vector_.*member) return reader_.error_here("{}: the field is there twice", field.name);
    Result<T> value = parse(field.value);
    if (!value) return reader_.error_here("{}: {}", field.name, value.error().message);
    *vector_.*member = std::move(*value);
    return {};
  }

  Result<Key> parse_key(std::string_view value) const {
    const Result<Bytes> bytes = from_hex(value);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->size() != key_bytes(kind_.key_size))
      return error("{} bits, but the name of the file says {}", 8 * bytes->size(), bits(kind_.key_size));
    return Key::from(*bytes);
  }

  static Result<Block> parse_iv(std::string_view value) {
    const Result<Bytes> bytes = from_hex(value);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->size() != block_bytes) return error("{} bytes; an IV has 16", bytes->size());
    Block block;
    std::ranges::copy(*bytes, block.begin());
    return block;
  }

  /// What a blank line, a COUNT, a section or the end of the file do to the vector before them.
  Result<void> end_vector() {
    if (!vector_) return {};
    Vector vector = std::move(*vector_);
    vector_.reset();
    const auto missing = [&](const char* field) {
      return error("{}:{}: {}: the field is missing in the vector COUNT={}", reader_.name(), vector.line, field,
                   vector.count);
    };
    if (!vector.key) return missing("KEY");
    if (has_iv(kind_.mode) && !vector.iv) return missing("IV");
    if (!vector.plaintext) return missing("PLAINTEXT");
    if (!vector.ciphertext) return missing("CIPHERTEXT");
    if (vector.plaintext->length == 0)
      return error("{}:{}: PLAINTEXT: it is empty in the vector COUNT={}", reader_.name(), vector.line, vector.count);
    if (vector.plaintext->length != vector.ciphertext->length)
      return error("{}:{}: CIPHERTEXT: {} {}, but PLAINTEXT has {} in the vector COUNT={}", reader_.name(), vector.line,
                   vector.ciphertext->length, kind_.mode == Mode::cfb1 ? "bits" : "bytes", vector.plaintext->length,
                   vector.count);
    add_case(std::move(vector));
    return {};
  }

  void add_case(Vector vector) {
    const bool encrypts = *direction_ == Direction::encrypt;
    Text& input = encrypts ? *vector.plaintext : *vector.ciphertext;
    Text& output = encrypts ? *vector.ciphertext : *vector.plaintext;
    Case c = make_case({kind_.mode, *direction_, kind_.key_size}, std::move(*vector.key), vector.iv.value_or(Block{}),
                       std::move(input.bytes), input.length);
    c.expected = std::move(output.bytes);
    c.origin =
        fmt::format("{}:{} {} COUNT={}", file_name_, vector.line, encrypts ? "ENCRYPT" : "DECRYPT", vector.count);
    cases_.push_back(std::move(c));
  }

  TextReader& reader_;
  std::string_view file_name_;
  FileKind kind_;
  std::optional<Direction> direction_;
  std::size_t next_count_ = 0;  // a gap would be vectors that were lost
  std::optional<Vector> vector_;
  std::optional<std::size_t> announced_;
  std::vector<Case> cases_;
};

}  // namespace

Result<std::vector<Case>> parse_cavp(TextReader& reader, const std::string& file_name) {
  const Result<FileKind> kind = kind_of(file_name);
  if (!kind) return tl::unexpected(kind.error());
  return Parser(reader, file_name, *kind).run();
}

}  // namespace aesgate
