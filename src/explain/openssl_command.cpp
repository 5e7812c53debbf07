#include "explain/openssl_command.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "explain/words.h"

namespace aesgate::explain {
namespace {

/// Names without "-" and digits that `openssl speed` takes.
constexpr std::array<std::string_view, 13> plain_names{"aes",  "des",   "rsa",      "dsa",  "ecdsa", "ecdh", "eddsa",
                                                       "hmac", "ghash", "blowfish", "cast", "idea",  "seed"};
constexpr std::array<std::string_view, 4> before_commands{"time", "sudo", "nice", "exec"};

bool is_prompt(std::string_view word) { return word.ends_with('$') || word.ends_with('#') || word.ends_with('%'); }

bool ends_command(std::string_view word) { return word.find_first_of("|<>;&") != std::string_view::npos; }

bool takes_value(std::string_view option) {
  constexpr std::array<std::string_view, 12> options{"-engine",   "-evp",      "-multi",     "-seconds",
                                                     "-bytes",    "-hmac",     "-cmac",      "-async_jobs",
                                                     "-misalign", "-provider", "-propquery", "-provider-path"};
  return std::ranges::find(options, option) != options.end();
}

bool is_sentence_word(std::string_view word) {
  const bool letters = std::ranges::all_of(word, [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
  return (letters || word.ends_with('.') || word.ends_with(',') || word.ends_with(':')) &&
         std::ranges::find(plain_names, word) == plain_names.end();
}

/// Where "openssl" stands, if only what may precede a command does.
std::optional<std::size_t> find_command(const std::vector<std::string_view>& parts) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 4); ++i)
    if (is_prompt(parts[i])) at = i + 1;
  while (at < parts.size() && (parts[at].find('=') != std::string_view::npos ||
                               std::ranges::find(before_commands, parts[at]) != before_commands.end()))
    ++at;
  if (at + 1 >= parts.size() || parts[at + 1] != "speed") return std::nullopt;
  const std::string_view program = parts[at];
  return program == "openssl" || program.ends_with("/openssl") ? std::optional(at) : std::nullopt;
}

}  // namespace

std::optional<OpensslCommand> parse_openssl_command(std::string_view line) {
  const std::vector<std::string_view> parts = words(line);
  const auto at = find_command(parts);
  if (!at) return std::nullopt;
  OpensslCommand command;
  command.text = "openssl speed";
  for (std::size_t i = *at + 2; i < parts.size() && !ends_command(parts[i]); ++i) {
    std::string option(parts[i]);
    if (option.starts_with("--")) option.erase(0, 1);
    command.text += ' ' + std::string(parts[i]);
    if (option == "-elapsed") command.elapsed = true;
    if (option == "-decrypt") command.decrypt = true;
    if (option.starts_with('-')) {
      if (!takes_value(option) || i + 1 == parts.size() || ends_command(parts[i + 1])) continue;
      const std::string_view value = parts[++i];
      command.text += ' ' + std::string(value);
      if (option == "-engine") command.engine = value;
      if (option == "-evp") command.evp = value;
      if (option == "-multi")
        command.processes = static_cast<unsigned>(std::min<std::size_t>(parse_size(value).value_or(1), 65536));
    } else if (is_sentence_word(option)) {
      return std::nullopt;
    }
  }
  return command;
}

}  // namespace aesgate::explain
