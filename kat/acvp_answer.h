#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace aesgate::acvp {

/// The members of a result, in the order in which NIST's files have them.
inline constexpr std::array<const char*, 4> result_members{"key", "iv", "pt", "ct"};
enum ResultMember : std::size_t { key_member, iv_member, pt_member, ct_member };
using ResultValues = std::array<std::optional<Bytes>, result_members.size()>;

/// TestAnswer: what a response says to a test: its "pt" or "ct", or in a Monte Carlo test the "resultsArray".
struct TestAnswer {
  std::uint64_t tc_id = 0;
  bool is_array = false;
  std::vector<ResultValues> results;  // one, if it is no array

  [[nodiscard]] std::size_t bytes() const;
};

/// The first difference in one line, or nothing: "resultsArray/17/ct: expected 0A…, got 0B…".
[[nodiscard]] std::optional<std::string> difference(const TestAnswer& expected, const TestAnswer& got);

/// Two upper-case digits a byte, as NIST writes them.
[[nodiscard]] std::string to_upper_hex(ByteView bytes);

}  // namespace aesgate::acvp
