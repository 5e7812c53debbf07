#include "core/conditions.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/text_file.h"

namespace aesgate {
namespace {

constexpr std::array<std::string_view, 4> memory_words{"fresh", "another-message", "restarted", "started-again"};

Result<std::uint8_t> parse_count(std::string_view text, std::uint8_t most) {
  const Result<std::size_t> number = parse_number(text);
  if (!number) return tl::unexpected(number.error());
  if (*number > most) return error("{} is more than {}", *number, most);
  return static_cast<std::uint8_t>(*number);
}

Result<void> parse_condition(std::string_view text, Conditions& conditions) {
  const std::size_t blank = text.find(' ');
  const std::string_view word = text.substr(0, blank);
  const std::string_view value = blank == std::string_view::npos ? "" : trim(text.substr(blank));
  const auto take = [](auto& target, const auto& result) -> Result<void> {
    if (!result) return tl::unexpected(result.error());
    target = *result;
    return {};
  };
  if (word == "company") return take(conditions.company, parse_count(value, Conditions::max_company));
  if (word == "threads") return take(conditions.threads, parse_count(value, Conditions::max_threads));
  if (text == "timer") return take(conditions.timer, Result<bool>(true));
  if (text == "migration") return take(conditions.migration, Result<bool>(true));
  const auto memory = std::ranges::find(memory_words, value);
  if (word == "memory" && memory != memory_words.end())
    return take(conditions.memory,
                Result<Conditions::Memory>(static_cast<Conditions::Memory>(memory - memory_words.begin())));
  return error("\"{}\" is no condition; known: memory {}, company N, threads N, timer, migration", excerpt(text),
               fmt::join(memory_words, "|"));
}

}  // namespace

std::string to_text(const Conditions& conditions) {
  std::vector<std::string> parts;
  if (conditions.memory != Conditions::Memory::fresh)
    parts.push_back(fmt::format("memory {}", memory_words[static_cast<std::size_t>(conditions.memory)]));
  if (conditions.company > 0) parts.push_back(fmt::format("company {}", conditions.company));
  if (conditions.threads > 0) parts.push_back(fmt::format("threads {}", conditions.threads));
  if (conditions.timer) parts.emplace_back("timer");
  if (conditions.migration) parts.emplace_back("migration");
  return fmt::format("{}", fmt::join(parts, "; "));
}

Result<Conditions> parse_conditions(std::string_view text) {
  Conditions conditions;
  for (const std::string_view part : split(text, ';'))
    if (const auto parsed = parse_condition(part, conditions); !parsed) return tl::unexpected(parsed.error());
  return conditions;
}

}  // namespace aesgate
