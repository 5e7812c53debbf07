#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aesgate::explain {

/// The parts of `text` between blanks.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);

[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string upper(std::string_view text);

/// Is `part` in `text`, in either case of letters? `part` is in lower case.
[[nodiscard]] bool mentions(std::string_view text, std::string_view part);

/// What stands between `before` and the next `after`; nothing if either is missing.
[[nodiscard]] std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                                      std::string_view after);

/// A decimal number without sign, with or without a fraction; a comma before the fraction is taken for a point. Nothing
/// if there is anything else, or it is not finite.
[[nodiscard]] std::optional<double> parse_decimal(std::string_view text);

/// A size: a whole number between 1 and 2^40.
[[nodiscard]] std::optional<std::size_t> parse_size(std::string_view text);

}  // namespace aesgate::explain
