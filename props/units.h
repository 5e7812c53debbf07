#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/bytes.h"
#include "core/shape.h"

// A message in units: bits in CFB1, bytes elsewhere. The laws speak of units and need not know which.

namespace aesgate::props {

/// Units [from, from + count) of `message`, packed from the first bit on, bits past the end zero.
[[nodiscard]] Bytes slice(Mode mode, ByteView message, std::size_t from, std::size_t count);

/// Puts the first `count` units of `part` at unit `at` of `message`, which is long enough.
void paste(Mode mode, Bytes& message, std::size_t at, ByteView part, std::size_t count);

/// The first of `count` units in which two messages differ.
[[nodiscard]] std::optional<std::size_t> first_difference(Mode mode, ByteView a, ByteView b, std::size_t count);

/// a XOR b, which are of one length.
[[nodiscard]] Bytes exclusive_or(ByteView a, ByteView b);

/// "bit 3" or "byte 3".
[[nodiscard]] std::string unit_name(Mode mode, std::size_t unit);

}  // namespace aesgate::props
