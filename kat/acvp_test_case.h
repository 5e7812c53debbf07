#pragma once

#include <cstdint>
#include <optional>

#include "kat/acvp_prompt.h"

namespace aesgate::acvp {

/// The members of a test of a prompt, as they are read, and the Case that they make.
struct TestMembers {
  std::optional<std::uint64_t> tc_id, payload_len;
  std::optional<Bytes> key, iv, pt, ct;

  /// Takes a member; false if a test has none of that name.
  [[nodiscard]] Result<bool> take(std::string_view name, const Value& value);

  /// The Case. An Error begins with the member that is missing, that is too much or whose length is wrong.
  [[nodiscard]] Result<Case> make(Mode mode, const GroupHead& group);
};

}  // namespace aesgate::acvp
