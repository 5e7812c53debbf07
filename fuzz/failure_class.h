#pragma once

#include <string>
#include <string_view>

#include "core/judge.h"
#include "core/shape.h"

namespace aesgate {

/// What is wrong with a Case that failed, in words that stay the same from one Case to the next: the verdict and the
/// kind of difference, without the numbers. "mismatch: output", "mismatch: chaining value after N bytes", "crashed:
/// SIGSEGV in update() N, of N at N, reading at byte N of the input, N past its end".
[[nodiscard]] std::string class_of(const Judgement& judgement);

/// The same of text that nobody judged, such as a sanitizer's.
[[nodiscard]] std::string without_numbers(std::string_view text);

/// What tells one finding from another: "aesni; CFB128 decrypt 192; mismatch: output".
[[nodiscard]] std::string finding_key(std::string_view backend, const Shape& shape, const Judgement& judgement);

}  // namespace aesgate
