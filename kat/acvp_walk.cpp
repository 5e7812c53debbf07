#include "kat/acvp_walk.h"

#include <algorithm>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/json_complaint.h"
#include "core/text_file.h"

namespace aesgate::acvp {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_members = 64;

/// The member that holds the objects of the level below.
std::string_view array_in(Level level) {
  switch (level) {
    case Level::set: return "testGroups";
    case Level::group: return "tests";
    case Level::test: return "resultsArray";
    default: return "";
  }
}

Level below(Level level) {
  return level == Level::set ? Level::group : level == Level::group ? Level::test : Level::result;
}

/// The walk as nlohmann-json's SAX interface sees it. `false` ends it; error_ then says why.
class Walker {
 public:
  Walker(Source& source, Visitor& visitor) : source_(source), visitor_(visitor) {}

  Result<void> finish(bool complete) {
    if (error_) return tl::unexpected(*error_);
    if (!complete) return error("{}: malformed JSON", source_.name());
    return {};
  }

  bool null() { return value({}); }
  bool boolean(bool b) { return value({Value::Kind::boolean, b, 0, {}}); }
  bool number_integer(std::int64_t) { return value({Value::Kind::other_number, false, 0, {}}); }
  bool number_unsigned(std::uint64_t n) { return value({Value::Kind::number, false, n, {}}); }
  bool number_float(double, const std::string&) { return value({Value::Kind::other_number, false, 0, {}}); }
  bool string(std::string& text) { return value({Value::Kind::string, false, 0, text}); }
  bool binary(nlohmann::json::binary_t&) { return wrong("binary data"); }  // JSON has none
  bool start_object(std::size_t) { return start(Value::Kind::object) && !too_deep(); }
  bool start_array(std::size_t) { return start(Value::Kind::array) && !too_deep(); }
  bool end_object() { return finish_container(); }
  bool end_array() { return finish_container(); }

  bool key(std::string& name) {
    if (skipping_ > 0) return true;
    Frame& frame = frames_.back();
    if (std::ranges::find(frame.members, name) != frame.members.end()) {
      frame.member = name;
      return wrong("the member is there twice");
    }
    if (frame.members.size() == most_members) return wrong_here(fmt::format("more than {} members", most_members));
    frame.member = name;
    frame.members.push_back(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& what) {
    if (source_.broken()) return wrong(source_.broken()->message);
    if (source_.is_empty()) return wrong("the file is empty");
    return wrong(json_complaint(what.what()));
  }

 private:
  /// An object or array that is open.
  struct Frame {
    Value::Kind kind;
    Level level = Level::set;  // of the object, or of those in the array
    bool is_root = false;      // the array around version and set
    std::uint64_t elements = 0;
    std::string member;  // the one being read
    std::vector<std::string> members;
  };

  /// The JSON pointer of the innermost value that is being read.
  [[nodiscard]] std::string pointer(std::size_t frames) const {
    std::string text;
    for (std::size_t i = 0; i < frames; ++i) {
      const Frame& frame = frames_[i];
      if (frame.kind == Value::Kind::array) {
        text += fmt::format("/{}", frame.elements - (frame.elements > 0 ? 1 : 0));
      } else if (!frame.member.empty()) {
        text += '/';
        for (const char c : excerpt(frame.member)) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
      }
    }
    return text;
  }

  bool wrong_at(const std::string& place, const std::string& what) {
    const bool names_member = what.starts_with('/');
    error_ = Error{fmt::format("{}: {}{}{}", source_.name(), place, place.empty() || names_member ? "" : ": ", what)};
    return false;
  }
  bool wrong(const std::string& what) { return wrong_at(pointer(frames_.size()), what); }
  /// About the innermost object itself, not about the member that was read last.
  bool wrong_here(const std::string& what) { return wrong_at(pointer(frames_.size() - 1), what); }
  bool check(const Result<void>& result) { return result || wrong(result.error().message); }

  bool too_deep() {
    if (frames_.size() + skipping_ <= deepest) return false;
    return !wrong(fmt::format("nested more than {} deep", deepest));
  }

  bool value(const Value& value) {
    if (skipping_ > 0) return true;
    if (frames_.empty()) return wrong(not_a_set(value.kind));
    Frame& frame = frames_.back();
    if (frame.kind == Value::Kind::object) return member(frame, value);
    ++frame.elements;
    return wrong(not_an_object(value.kind));
  }

  bool member(Frame& frame, const Value& value) {
    if (frame.member == array_in(frame.level) && value.kind != Value::Kind::array)
      return wrong(fmt::format("an array is needed, not {}", name(value.kind)));
    return check(visitor_.member(frame.level, frame.member, value));
  }

  bool start(Value::Kind kind) {
    if (skipping_ > 0) {
      ++skipping_;
      return true;
    }
    if (frames_.empty()) return start_root(kind);
    Frame& frame = frames_.back();
    if (frame.kind == Value::Kind::array) {
      ++frame.elements;
      if (kind != Value::Kind::object) return wrong(not_an_object(kind));
      if (frame.is_root && frame.elements > 2) return wrong("an array here is [{\"acvVersion\"}, {the vector set}]");
      return open_object(frame.is_root ? (frame.elements == 1 ? Level::version : Level::set) : frame.level);
    }
    if (!member(frame, {kind, false, 0, {}})) return false;
    if (frame.member == array_in(frame.level))
      frames_.push_back({Value::Kind::array, below(frame.level), false, 0, {}, {}});
    else
      ++skipping_;
    return true;
  }

  bool start_root(Value::Kind kind) {
    if (kind == Value::Kind::object) return open_object(Level::set);
    frames_.push_back({Value::Kind::array, Level::version, true, 0, {}, {}});
    return true;
  }

  bool open_object(Level level) {
    frames_.push_back({Value::Kind::object, level, false, 0, {}, {}});
    return check(visitor_.begin(level));
  }

  bool finish_container() {
    if (skipping_ > 0) {
      --skipping_;
      return true;
    }
    Frame& frame = frames_.back();
    frame.member.clear();
    if (frame.kind == Value::Kind::object && !check(visitor_.end(frame.level))) return false;
    if (frame.is_root && frame.elements != 2)
      return wrong_at("", "an array here is [{\"acvVersion\"}, {the vector set}]");
    frames_.pop_back();
    return true;
  }

  static std::string not_a_set(Value::Kind kind) {
    return fmt::format("an object, the vector set, is needed, not {}", name(kind));
  }
  static std::string not_an_object(Value::Kind kind) { return fmt::format("an object is needed, not {}", name(kind)); }

  Source& source_;
  Visitor& visitor_;
  std::vector<Frame> frames_;
  std::size_t skipping_ = 0;  // containers that are open inside a member which nobody visits
  std::optional<Error> error_;
};

}  // namespace

std::string_view name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null: return "null";
    case Value::Kind::boolean: return "true or false";
    case Value::Kind::number: return "a number";
    case Value::Kind::other_number: return "a number that is no whole one of 64 bits";
    case Value::Kind::string: return "a string";
    case Value::Kind::array: return "an array";
    case Value::Kind::object: return "an object";
  }
  return "";
}

Result<void> walk(Source& source, Visitor& visitor) {
  if (const auto at_start = source.rewind(); !at_start) return at_start;
  std::istream text(&source);
  Walker walker(source, visitor);
  return walker.finish(nlohmann::json::sax_parse(text, &walker));
}

}  // namespace aesgate::acvp
