#pragma once

#include <string_view>

#include "core/case.h"

namespace aesgate {

/// A Case from values as a standard prints them, in hexadecimal: one call of the whole message. `iv` is empty in ECB.
/// In CFB1 the texts are whole bytes. What is no valid Case is a typing error in this program: it aborts.
[[nodiscard]] Case published_case(Mode mode, Direction direction, std::string_view key, std::string_view iv,
                                  std::string_view input, std::string_view output);

}  // namespace aesgate
