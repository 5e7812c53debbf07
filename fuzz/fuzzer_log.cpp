#include "fuzz/fuzzer_log.h"

#include <algorithm>
#include <charconv>

namespace aesgate {
namespace {

/// The number behind `label`.
std::optional<std::uint64_t> number_behind(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const char* const from = line.data() + at + label.size();
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(from, line.data() + line.size(), value);
  return wrong == std::errc() && end != from ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<FuzzerProgress> parse_progress(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const auto cov = number_behind(line, " cov: ");
  const auto ft = number_behind(line, " ft: ");
  const auto corpus = number_behind(line, " corp: ");
  if (!cov || !ft || !corpus) return std::nullopt;
  return FuzzerProgress{*cov, *ft, *corpus};
}

std::optional<std::string> parse_summary(std::string_view line) {
  static constexpr std::string_view begin = "SUMMARY: ";
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  // "TOOL: what", of which the first word is the kind; libFuzzer's own have no place behind it.
  const std::size_t tool = line.find(": ");
  if (tool == std::string_view::npos || line.starts_with("libFuzzer")) return std::string(line);
  return std::string(line.substr(0, line.find(' ', tool + 2)));
}

}  // namespace aesgate
