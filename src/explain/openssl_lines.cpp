#include "explain/openssl_lines.h"

#include <algorithm>

#include "explain/words.h"

namespace aesgate::explain {
namespace {

constexpr std::string_view doing = "Doing ", size_blocks = " size blocks:";

std::optional<double> seconds(std::string_view text) {
  if (!text.ends_with('s')) return std::nullopt;
  text.remove_suffix(1);
  return parse_decimal(text);
}

/// "1378.20k" in bytes a second: k is 1000. "infk", "nank" and "-nank" are 0.
std::optional<double> rate(std::string_view word) {
  if (word.size() < 2 || !word.ends_with('k')) return std::nullopt;
  word.remove_suffix(1);
  if (word == "inf" || word == "nan" || word == "-nan") return 0;
  if (word.find('.') == std::string_view::npos) return std::nullopt;  // "64k" in a sentence
  const auto thousands = parse_decimal(word);
  return thousands ? std::optional(*thousands * 1000) : std::nullopt;
}

/// "0m3.01s", "3.01"
std::optional<double> duration(std::string_view word) {
  double before = 0;
  if (const std::size_t minutes = word.find('m'); minutes != std::string_view::npos) {
    const auto value = parse_decimal(word.substr(0, minutes));
    if (!value) return std::nullopt;
    before = *value * 60;
    word.remove_prefix(minutes + 1);
  }
  if (word.ends_with('s')) word.remove_suffix(1);
  const auto value = parse_decimal(word);
  return value ? std::optional(before + *value) : std::nullopt;
}

/// GNU: "0:18.02elapsed", "0.54user".
std::optional<double> gnu_duration(std::string_view word, std::string_view what) {
  if (!word.ends_with(what)) return std::nullopt;
  word.remove_suffix(what.size());
  double before = 0;
  for (std::size_t colon; (colon = word.find(':')) != std::string_view::npos; word.remove_prefix(colon + 1)) {
    const auto value = parse_decimal(word.substr(0, colon));
    if (!value) return std::nullopt;
    before = (before + *value) * 60;
  }
  const auto value = parse_decimal(word);
  return value ? std::optional(before + *value) : std::nullopt;
}

}  // namespace

bool begins_doing(std::string_view line) {
  return line.starts_with(doing) && line.find(size_blocks) != std::string_view::npos;
}

std::optional<Doing> parse_doing(std::string_view line) {
  if (!begins_doing(line)) return std::nullopt;
  line.remove_prefix(doing.size());
  // Not in the part of it that the beginning of the line may be.
  const std::size_t end = line.find(size_blocks);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = line.substr(0, end);
  const std::string_view rest = line.substr(head.size() + size_blocks.size());
  const std::size_t on = head.rfind(" on ");
  const std::size_t planned = head.rfind(" for ", on);
  if (on == std::string_view::npos || planned == std::string_view::npos) return std::nullopt;
  std::string_view algorithm = head.substr(0, planned);
  if (algorithm.ends_with(" ops")) algorithm.remove_suffix(4);  // 3.1 and later: "Doing AES-128-CBC ops for 3s"
  const auto bytes = parse_size(head.substr(on + 4));
  const auto planned_seconds = seconds(head.substr(planned + 5, on - planned - 5));
  const std::vector<std::string_view> parts = words(rest);
  if (!bytes || !planned_seconds || algorithm.empty() || parts.size() < 3 || parts[parts.size() - 2] != "in")
    return std::nullopt;
  const auto calls = parse_decimal(parts.front());
  const auto took = seconds(parts.back());
  if (!calls || !took) return std::nullopt;
  return Doing{std::string(algorithm), *planned_seconds, *bytes, *calls, *took};
}

std::vector<std::size_t> parse_more_head(std::string_view line) {
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words(line)) {
    if (word == "bytes") continue;
    const auto size = parse_size(word);
    if (!size) return {};
    sizes.push_back(*size);
  }
  return sizes;
}

std::vector<std::size_t> parse_head(std::string_view line) {
  constexpr std::string_view type = "type ";
  return line.starts_with(type) ? parse_more_head(line.substr(type.size())) : std::vector<std::size_t>{};
}

Row parse_row(std::string_view line) {
  const std::vector<std::string_view> parts = words(line);
  std::size_t first = parts.size();
  while (first > 0 && rate(parts[first - 1])) --first;
  Row row;
  for (std::size_t i = 0; i < first; ++i) row.algorithm += (i == 0 ? "" : " ") + std::string(parts[i]);
  for (std::size_t i = first; i < parts.size(); ++i) row.rates.push_back(*rate(parts[i]));
  return row;
}

std::optional<MachineLine> parse_machine_line(std::string_view line) {
  MachineLine out;
  constexpr std::string_view got = "Got: ", from = " from ";
  if (line.starts_with(got)) {
    line.remove_prefix(got.size());
    const std::size_t child = line.rfind(from);
    if (child == std::string_view::npos) return std::nullopt;
    const auto number = parse_decimal(line.substr(child + from.size()));
    if (!number || *number >= 65536) return std::nullopt;
    out.child = static_cast<unsigned>(*number);
    line = line.substr(0, child);
  }
  if (!line.starts_with('+')) return std::nullopt;
  line.remove_prefix(1);
  for (;;) {
    const std::size_t end = line.find(':');
    out.fields.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  out.kind = out.fields.front();
  out.fields.erase(out.fields.begin());
  if (out.kind != "DT" && out.kind != "R" && out.kind != "H" && out.kind != "F") return std::nullopt;
  return out;
}

ProcessTimes parse_process_times(std::string_view line) {
  ProcessTimes times;
  const std::vector<std::string_view> parts = words(line);
  if (parts.size() == 2) {
    if (parts[0] == "real") times.elapsed = duration(parts[1]);
    if (parts[0] == "user") times.user = duration(parts[1]);
    if (parts[0] == "sys") times.system = duration(parts[1]);
  }
  for (const std::string_view part : parts) {
    if (const auto value = gnu_duration(part, "elapsed")) times.elapsed = value;
    if (const auto value = gnu_duration(part, "user")) times.user = value;
    if (const auto value = gnu_duration(part, "system")) times.system = value;
  }
  return times;
}

}  // namespace aesgate::explain
