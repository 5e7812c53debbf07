#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/shape.h"
#include "kat/acvp_id_set.h"
#include "kat/acvp_walk.h"

namespace aesgate::acvp {

// Values of members. An Error says what is wrong with the value; the walk knows where it is.

[[nodiscard]] Result<std::uint64_t> whole_number(const Value& value);
/// Not longer than what names something.
[[nodiscard]] Result<std::string> short_text(const Value& value);
[[nodiscard]] Result<bool> true_or_false(const Value& value);
/// Hexadecimal digits of either case, two a byte.
[[nodiscard]] Result<Bytes> hexadecimal(const Value& value);
/// "ACVP-AES-CBC", …: the algorithms that have nothing but a mode of SP 800-38A.
[[nodiscard]] Result<Mode> algorithm(const Value& value);
[[nodiscard]] std::string algorithm_name(Mode mode);
/// "1.0", the only one of these algorithms.
[[nodiscard]] Result<std::string> revision(const Value& value);

/// Puts a number into `ids`, or says why it may not.
[[nodiscard]] Result<void> add_id(IdSet& ids, std::uint64_t id);

/// The Error of a member that is not there: "/key: the member is missing".
[[nodiscard]] tl::unexpected<Error> missing(std::string_view name);

/// Unread: the members that nothing looked at, by level and name, for a note: the specification lets a server add some.
class Unread {
 public:
  void add(Level level, std::string_view name);
  /// "tests: 2,156 times \"comment\"", one for each; at most a dozen.
  [[nodiscard]] std::vector<std::string> notes(const std::string& file) const;

 private:
  std::map<std::pair<Level, std::string>, std::uint64_t> counts_;
  std::uint64_t others_ = 0;
};

}  // namespace aesgate::acvp
