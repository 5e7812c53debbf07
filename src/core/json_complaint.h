#pragma once

#include <string>
#include <string_view>

namespace aesgate {

/// What nlohmann-json's exception says (its what()), in words for who gave the file: without its numbering, its
/// functions, and the token that it quotes, however long. "malformed JSON: line 1, column 5: …", "\"host\" is missing",
/// "a string belongs where a number is". Other exceptions' words are kept. At most 200 characters.
[[nodiscard]] std::string json_complaint(std::string_view what);

}  // namespace aesgate
