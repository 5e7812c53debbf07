#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "kat/acvp_source.h"

namespace aesgate::acvp {

/// The objects of a vector set, prompt or response, from the outside in:
///
///     [{"acvVersion"},                                       version
///      {"vsId", "algorithm", "revision", "testGroups": [     set
///        {"tgId", …, "tests": [                              group
///          {"tcId", …, "resultsArray": [                     test
///            {"key", "iv", "pt", "ct"}]}]}]}]                result
///
/// or the set alone, without the array around it.
enum class Level { version, set, group, test, result };

/// Value: a member's value; only the field of its kind is set.
struct Value {
  enum class Kind { null, boolean, number, other_number, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::uint64_t number = 0;  // a whole one of 64 bits; any other is an other_number
  std::string_view text;     // valid during the call
};
/// "a string", "an array", …
[[nodiscard]] std::string_view name(Value::Kind kind);

/// Visitor: is called with what a file holds, in the file's order. An Error ends the walk; its message begins with the
/// member that it is about, "/key: …", if it is about one that is not being visited.
class Visitor {
 public:
  virtual ~Visitor() = default;
  [[nodiscard]] virtual Result<void> begin(Level level) = 0;
  /// A member, each name once in an object. What is in an array or object is not visited, but for "testGroups",
  /// "tests" and "resultsArray", whose objects come next.
  [[nodiscard]] virtual Result<void> member(Level level, std::string_view name, const Value& value) = 0;
  [[nodiscard]] virtual Result<void> end(Level level) = 0;
};

/// Reads a vector set from its beginning to its end. Memory is bounded whatever it holds: nothing is deeper than 64
/// levels, and no object has more than 64 members. Every Error is one line that names the file and, by its JSON
/// pointer (RFC 6901), the place: "FILE: /1/testGroups/3/tests/0/key: …".
[[nodiscard]] Result<void> walk(Source& source, Visitor& visitor);

}  // namespace aesgate::acvp
