#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace aesgate {

/// Error: one line for a person: what is wrong, where, and what to do.
struct Error {
  std::string message;
};

/// Result<T>: a value, or the Error that kept it from being. std::expected, once both compilers have it.
template <typename T>
using Result = tl::expected<T, Error>;

/// error("{}: line {}", file, line): an Error that converts to any Result.
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> error(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{fmt::format(format, std::forward<Args>(args)...)});
}

}  // namespace aesgate
