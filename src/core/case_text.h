#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/case.h"

namespace aesgate {

/// The text form of a Case, one field a line, "#" at the start of a line for comments:
///
///     backend = aesni
///     origin = CBCMMT128.rsp:14 ENCRYPT COUNT=3
///     mode = CBC
///     direction = encrypt
///     key = 2b7e151628aed2a6abf7158809cf4f3c
///     iv = 000102030405060708090a0b0c0d0e0f
///     input = 6bc1bee22e409f96e93d7e117393172a
///     length = 128                     (bits, in CFB1; elsewhere as many bytes as `input` has)
///     chunks = 16                      (left out: one call)
///     placement = in-place; input end-0; key start+3; iv start+0; context end-1
///     conditions = memory restarted; company 3; timer    (core/conditions.h)
///     monte-carlo = 1000               (instead of chunks)
///     repeated-to = 4294967312         (instead of chunks: `input` again and again, in one call)
///     expected = 7649abac8119b246cee98e9b12e9197d
///
/// `mode`, `direction`, `key` and `input` must be there, `iv` except in ECB, `length` in CFB1. A
/// field that is unknown, that is there twice or that the mode does not have is an Error.
[[nodiscard]] std::string to_text(const Case& c);

/// The Case in `text`; `name` stands for the file in errors, which say "NAME:LINE: FIELD: what".
[[nodiscard]] Result<Case> parse_case(std::string_view text, const std::string& name);
[[nodiscard]] Result<Case> read_case(const std::filesystem::path& path);

/// Writes the text form so that a reader sees the whole file or none.
[[nodiscard]] Result<void> write_case(const std::filesystem::path& path, const Case& c);

}  // namespace aesgate
