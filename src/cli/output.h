#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"

namespace aesgate {

/// Makes the three standard descriptors safe to use: one that the caller had closed would else be given to the
/// first file opened, and a report would go there. A closed pipe becomes an error, not a signal.
void prepare_standard_streams();

/// The signals that prepare_standard_streams() had this process ignore, and which it did not before: another program
/// that it becomes would ignore them, too.
[[nodiscard]] const std::vector<int>& ignored_by_this_program();

/// Writes to standard output; an Error if not all of it arrived.
[[nodiscard]] Result<void> print(std::string_view text);

/// Writes to standard error, as far as it goes.
void print_to_stderr(std::string_view text);

/// The one line of a failure on standard error: "aesgate: MESSAGE", control characters replaced.
void print_error(std::string_view message);

/// May colours go to this descriptor: a terminal, and the user did not set NO_COLOR (no-color.org)?
[[nodiscard]] bool wants_colour(int descriptor);

}  // namespace aesgate
