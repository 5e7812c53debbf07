#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace aesgate::explain {

/// OpensslCommand: a command line of `openssl speed`.
struct OpensslCommand {
  std::string text;  // from "openssl" on, without redirections
  std::string engine;
  std::string evp;  // the name after -evp; empty without
  bool elapsed = false;
  bool decrypt = false;
  unsigned processes = 1;
};

/// The command in a line as a terminal shows it, after a prompt, variables and the like of time(1); nothing if the line
/// is none, or is a sentence about one.
[[nodiscard]] std::optional<OpensslCommand> parse_openssl_command(std::string_view line);

}  // namespace aesgate::explain
