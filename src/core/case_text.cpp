#include "core/case_text.h"

#include <algorithm>
#include <map>

#include "core/text_file.h"
#include "core/write_file.h"

namespace aesgate {
namespace {

std::string spot_text(std::string_view buffer, const Spot& spot) {
  const bool start = spot.edge == Spot::Edge::start;
  return fmt::format("; {} {}{}", buffer, start ? "start+" : "end-", spot.distance);
}

std::string placement_text(const Case& c) {
  std::string text = c.placement.in_place ? "in-place" : "out-of-place";
  text += spot_text("input", c.placement.input);
  if (!c.placement.in_place) text += spot_text("output", c.placement.output);
  text += spot_text("key", c.placement.key);
  if (has_iv(c.shape.mode)) text += spot_text("iv", c.placement.iv);
  if (c.placement.context != Placement{}.context) text += spot_text("context", c.placement.context);
  return text;
}

Result<Spot> parse_spot(std::string_view text) {
  Spot spot;
  std::string_view number;
  if (text.starts_with("start+")) {
    number = text.substr(6);
  } else if (text.starts_with("end-")) {
    spot.edge = Spot::Edge::end;
    number = text.substr(4);
  } else {
    return error("\"{}\" is neither start+N nor end-N", excerpt(text));
  }
  const Result<std::size_t> distance = parse_number(number);
  if (!distance) return tl::unexpected(distance.error());
  if (*distance > Spot::max_distance) return error("{} is more than {}", *distance, Spot::max_distance);
  spot.distance = static_cast<std::uint16_t>(*distance);
  return spot;
}

Result<Placement> parse_placement(std::string_view text) {
  Placement placement;
  const std::vector<std::string_view> parts = split(text, ';');
  if (parts.front() != "in-place" && parts.front() != "out-of-place")
    return error("\"{}\" is neither in-place nor out-of-place", excerpt(parts.front()));
  placement.in_place = parts.front() == "in-place";
  const std::map<std::string_view, Spot*> spots{{"input", &placement.input},
                                                {"output", &placement.output},
                                                {"key", &placement.key},
                                                {"iv", &placement.iv},
                                                {"context", &placement.context}};
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const std::size_t blank = part->find(' ');
    const auto found = spots.find(part->substr(0, blank));
    if (found == spots.end() || blank == std::string_view::npos)
      return error("\"{}\" is not input, output, key, iv or context and a place", excerpt(*part));
    const Result<Spot> spot = parse_spot(trim(part->substr(blank)));
    if (!spot) return tl::unexpected(spot.error());
    *found->second = *spot;
  }
  return placement;
}

/// The fields of a file, each with its line; take() hands one out once.
class Fields {
 public:
  struct Value {
    std::string text;
    std::size_t line;
  };

  [[nodiscard]] static Result<Fields> read(TextReader& reader) {
    static constexpr std::array known{"backend",    "origin",      "mode",        "direction", "key",
                                      "iv",         "input",       "length",      "chunks",    "placement",
                                      "conditions", "monte-carlo", "repeated-to", "expected"};
    Fields fields;
    fields.name_ = reader.name();
    for (;;) {
      const auto line = reader.next();
      if (!line) return tl::unexpected(line.error());
      if (!*line) break;
      if (trim(**line).empty() || (*line)->starts_with('#')) continue;
      const auto field = split_field(**line);
      if (!field) return reader.error_here("\"{}\" is no \"name = value\" line", excerpt(**line));
      if (std::ranges::find(known, field->name) == known.end())
        return reader.error_here("{}: unknown field; known: {}", excerpt(field->name), fmt::join(known, ", "));
      const Value value{std::string(field->value), reader.line()};
      if (!fields.values_.emplace(std::string(field->name), value).second)
        return reader.error_here("{}: the field is there twice", field->name);
      fields.lines_.emplace(field->name, reader.line());
    }
    fields.end_ = std::max<std::size_t>(reader.line(), 1);
    return fields;
  }

  /// The field `name` through `parse`, a function from text to Result<T>, into `target`.
  template <typename T, typename Parse>
  [[nodiscard]] Result<void> take(const std::string& name, T& target, Parse parse) {
    const auto found = values_.find(name);
    if (found == values_.end()) return error("{}:{}: {}: the field is missing", name_, end_, name);
    auto value = parse(std::string_view(found->second.text));
    if (!value) return error("{}:{}: {}: {}", name_, found->second.line, name, value.error().message);
    target = std::move(*value);
    values_.erase(found);
    return {};
  }

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }

  /// An Error for a field that nothing took.
  [[nodiscard]] Result<void> expect_none(Mode mode) const {
    if (values_.empty()) return {};
    const auto& [field, value] = *values_.begin();
    return error("{}:{}: {}: {} has no such field", name_, value.line, field, aesgate::name(mode));
  }

  /// An Error about the field that the message of `e` begins with, as those of Case::validate() do.
  [[nodiscard]] tl::unexpected<Error> error_in(const Error& e) const {
    const auto line = lines_.find(e.message.substr(0, e.message.find(':')));
    return error("{}:{}: {}", name_, line == lines_.end() ? end_ : line->second, e.message);
  }

 private:
  std::string name_;
  std::size_t end_ = 0;
  std::map<std::string, Value> values_;       // those that nothing took yet
  std::map<std::string, std::size_t> lines_;  // of all
};

Result<Key> parse_key(std::string_view text) {
  const Result<Bytes> bytes = from_hex(text);
  if (!bytes) return tl::unexpected(bytes.error());
  return Key::from(*bytes);
}

Result<Block> parse_block(std::string_view text) {
  const Result<Bytes> bytes = from_hex(text);
  if (!bytes) return tl::unexpected(bytes.error());
  if (bytes->size() != block_bytes) return error("{} bytes; an IV has 16", bytes->size());
  Block block;
  std::ranges::copy(*bytes, block.begin());
  return block;
}

Result<std::vector<std::size_t>> parse_chunks(std::string_view text) {
  std::vector<std::size_t> chunks;
  if (text.empty()) return chunks;
  for (const std::string_view part : split(text, ',')) {
    const Result<std::size_t> number = parse_number(part);
    if (!number) return tl::unexpected(number.error());
    chunks.push_back(*number);
  }
  return chunks;
}

Result<std::size_t> parse_steps(std::string_view text) {
  const Result<std::size_t> steps = parse_number(text);
  if (steps && *steps == 0) return error("0 steps; leave the field out for no Monte Carlo loop");
  return steps;
}

Result<std::size_t> parse_repeated_to(std::string_view text) {
  const Result<std::size_t> units = parse_number(text);
  if (units && *units == 0) return error("0 units; leave the field out where nothing repeats");
  return units;
}

Result<std::string> parse_string(std::string_view text) { return std::string(text); }

Result<Case> case_from(Fields& fields) {
  Case c;
  Bytes expected;
  Result<void> ok = fields.take("mode", c.shape.mode, parse_mode);
  const auto take = [&](const char* name, auto& target, auto parse) {
    if (ok) ok = fields.take(name, target, parse);
  };
  const auto take_if_there = [&](const char* name, auto& target, auto parse) {
    const bool there = fields.has(name);
    if (there) take(name, target, parse);
    return there;
  };
  take("direction", c.shape.direction, parse_direction);
  take("key", c.key, parse_key);
  c.shape.key_size = c.key.size();
  if (has_iv(c.shape.mode)) take("iv", c.iv, parse_block);
  take("input", c.input, from_hex);
  c.length = c.input.size();
  if (c.shape.mode == Mode::cfb1) take("length", c.length, parse_number);
  take_if_there("backend", c.backend, parse_string);
  take_if_there("origin", c.origin, parse_string);
  take_if_there("placement", c.placement, parse_placement);
  if (take_if_there("expected", expected, from_hex)) c.expected = std::move(expected);
  take_if_there("conditions", c.conditions, parse_conditions);
  if (!take_if_there("monte-carlo", c.monte_carlo_steps, parse_steps) &&
      !take_if_there("repeated-to", c.repeated_to, parse_repeated_to) &&
      !take_if_there("chunks", c.chunks, parse_chunks))
    c.chunks = {c.length};
  if (ok) ok = fields.expect_none(c.shape.mode);
  if (!ok) return tl::unexpected(ok.error());
  if (const auto valid = c.validate(); !valid) return fields.error_in(valid.error());
  return c;
}

Result<Case> parse(Result<TextReader> reader) {
  if (!reader) return tl::unexpected(reader.error());
  Result<Fields> fields = Fields::read(*reader);
  if (!fields) return tl::unexpected(fields.error());
  return case_from(*fields);
}

}  // namespace

std::string to_text(const Case& c) {
  std::string text;
  const auto field = [&](std::string_view name, std::string_view value) {
    text += name;
    text += " = ";
    // A path may hold any byte; a line may not.
    for (const char letter : value) text += static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f ? '?' : letter;
    text += '\n';
  };
  if (!c.backend.empty()) field("backend", c.backend);
  if (!c.origin.empty()) field("origin", c.origin);
  field("mode", name(c.shape.mode));
  field("direction", name(c.shape.direction));
  field("key", to_hex(c.key.bytes()));
  if (has_iv(c.shape.mode)) field("iv", to_hex(c.iv));
  field("input", to_hex(c.input));
  if (c.shape.mode == Mode::cfb1) field("length", fmt::to_string(c.length));
  if (c.monte_carlo_steps > 0)
    field("monte-carlo", fmt::to_string(c.monte_carlo_steps));
  else if (c.repeated_to > 0)
    field("repeated-to", fmt::to_string(c.repeated_to));
  else
    field("chunks", fmt::format("{}", fmt::join(c.chunks, ",")));
  field("placement", placement_text(c));
  if (c.conditions != Conditions{}) field("conditions", to_text(c.conditions));
  if (c.expected) field("expected", to_hex(*c.expected));
  return text;
}

Result<Case> parse_case(std::string_view text, const std::string& name) { return parse(TextReader::from(text, name)); }

Result<Case> read_case(const std::filesystem::path& path) { return parse(TextReader::open(path)); }

Result<void> write_case(const std::filesystem::path& path, const Case& c) { return write_file(path, to_text(c)); }

}  // namespace aesgate
