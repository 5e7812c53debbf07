#include "kat/acvp_answer.h"

#include <algorithm>

#include <fmt/format.h>

namespace aesgate::acvp {
namespace {

/// 16 bytes from the block on that holds byte `at`: all of it, where a value has no more.
std::string part(const Bytes& bytes, std::size_t at) {
  const std::size_t from = std::min(at / 16 * 16, bytes.size());
  const std::size_t to = std::min(from + 16, bytes.size());
  const std::string digits = to_upper_hex(ByteView(bytes).subspan(from, to - from));
  return fmt::format("{}{}{}", from > 0 ? "…" : "", digits.empty() ? "nothing" : digits, to < bytes.size() ? "…" : "");
}

std::optional<std::string> difference(const std::optional<Bytes>& expected, const std::optional<Bytes>& got) {
  if (expected == got) return std::nullopt;
  if (!got) return "expected, but the answer to this test has none";
  if (!expected) return "missing in what is expected";
  const auto [e, g] = std::ranges::mismatch(*expected, *got);
  const auto at = static_cast<std::size_t>(e - expected->begin());
  const bool whole = std::max(expected->size(), got->size()) <= 16;
  return fmt::format("{}expected {}, got {}", whole ? "" : fmt::format("byte {}: ", at), part(*expected, at),
                     part(*got, at));
}

}  // namespace

std::size_t TestAnswer::bytes() const {
  std::size_t sum = sizeof(TestAnswer);
  for (const ResultValues& result : results) {
    sum += sizeof(ResultValues);
    for (const auto& value : result) sum += value ? value->size() : 0;
  }
  return sum;
}

std::optional<std::string> difference(const TestAnswer& expected, const TestAnswer& got) {
  if (expected.is_array != got.is_array)
    return fmt::format("resultsArray: {}",
                       got.is_array ? "missing in what is expected" : "expected, but the answer to this test has none");
  const std::size_t both = std::min(expected.results.size(), got.results.size());
  for (std::size_t i = 0; i < both; ++i)
    for (std::size_t member = 0; member < result_members.size(); ++member)
      if (const auto differs = difference(expected.results[i][member], got.results[i][member]))
        return fmt::format("{}{}: {}", got.is_array ? fmt::format("resultsArray/{}/", i) : "", result_members[member],
                           *differs);
  if (expected.results.size() != got.results.size())
    return fmt::format("resultsArray: expected {} results, got {}", expected.results.size(), got.results.size());
  return std::nullopt;
}

std::string to_upper_hex(ByteView bytes) {
  std::string text = to_hex(bytes);
  for (char& c : text)
    if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace aesgate::acvp
