#include "kat/acvp_members.h"

#include <fmt/ranges.h>

#include "core/text_file.h"

namespace aesgate::acvp {
namespace {

constexpr std::size_t most_unread = 12;
constexpr std::string_view algorithm_front = "ACVP-AES-";

Result<void> expect(Value::Kind kind, const Value& value) {
  if (value.kind == kind) return {};
  return error("{} is needed, not {}", name(kind), name(value.kind));
}

}  // namespace

Result<std::uint64_t> whole_number(const Value& value) {
  return expect(Value::Kind::number, value).map([&] { return value.number; });
}

Result<std::string> short_text(const Value& value) {
  constexpr std::size_t longest = 40;
  if (const auto right = expect(Value::Kind::string, value); !right) return tl::unexpected(right.error());
  if (value.text.size() > longest) return error("{} bytes, more than {}", value.text.size(), longest);
  return std::string(value.text);
}

Result<bool> true_or_false(const Value& value) {
  return expect(Value::Kind::boolean, value).map([&] { return value.boolean; });
}

Result<Bytes> hexadecimal(const Value& value) {
  if (const auto right = expect(Value::Kind::string, value); !right) return tl::unexpected(right.error());
  return from_hex(value.text);
}

Result<Mode> algorithm(const Value& value) {
  if (const auto right = expect(Value::Kind::string, value); !right) return tl::unexpected(right.error());
  std::vector<std::string> known;
  for (const Mode mode : all_modes) {
    known.push_back(algorithm_name(mode));
    if (known.back() == value.text) return mode;
  }
  return error("unknown algorithm \"{}\"; known: {}", excerpt(value.text), fmt::join(known, ", "));
}

std::string algorithm_name(Mode mode) { return fmt::format("{}{}", algorithm_front, name(mode)); }

Result<std::string> revision(const Value& value) {
  auto text = short_text(value);
  if (text && *text != "1.0") return error("unknown revision \"{}\"; known: 1.0", excerpt(*text));
  return text;
}

Result<void> add_id(IdSet& ids, std::uint64_t id) {
  switch (ids.add(id)) {
    case IdSet::Added::already_there: return error("{} is there twice", id);
    case IdSet::Added::too_scattered: return error("the numbers are in more than {} ranges", IdSet::most_ranges);
    default: return {};
  }
}

tl::unexpected<Error> missing(std::string_view name) { return error("/{}: the member is missing", name); }

void Unread::add(Level level, std::string_view name) {
  const std::pair key(level, excerpt(name));
  const auto found = counts_.find(key);
  if (found != counts_.end())
    ++found->second;
  else if (counts_.size() < most_unread)
    counts_.emplace(key, 1);
  else
    ++others_;
}

std::vector<std::string> Unread::notes(const std::string& file) const {
  static constexpr const char* objects[] = {"the version", "the vector set", "a test group", "a test", "a result"};
  std::vector<std::string> all;
  for (const auto& [key, count] : counts_)
    all.push_back(fmt::format("{}: member \"{}\" of {} was not looked at, {} time{}", file, key.second,
                              objects[static_cast<std::size_t>(key.first)], count, count == 1 ? "" : "s"));
  if (others_ > 0) all.push_back(fmt::format("{}: {} more members were not looked at", file, others_));
  return all;
}

}  // namespace aesgate::acvp
