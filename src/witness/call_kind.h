#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/shape.h"

namespace aesgate::witness {

/// CallKind: what a call of update() is, as far as an implementation may choose its code by it. By default it is short,
/// the first of its message, and its input and output are two buffers at multiples of 16.
struct CallKind {
  bool is_long = false;     // 4 KiB; in CFB1 and CFB8, 1024 units
  bool is_second = false;   // of the message
  bool in_place = false;    // its output is its input
  bool misaligned = false;  // input and output begin one byte behind a multiple of 16
  bool operator==(const CallKind&) const = default;
};

/// "long, second of its message"
[[nodiscard]] std::string to_text(const CallKind& kind);

/// The calls to look at besides the short one of each shape, by the place of the shape in `shapes` (places in
/// all_shapes()): for each mode and direction, one that is long and no more, one that is second and in place, and one
/// that is long, second and misaligned, over its shapes in turn, so that other key sizes come first in other modes.
[[nodiscard]] std::vector<std::vector<CallKind>> further_calls(std::span<const std::size_t> shapes);

/// In units: of a long call, and of the first call of a message whose second one is looked at.
[[nodiscard]] std::size_t further_length(const Shape& shape);
[[nodiscard]] std::size_t first_length(const Shape& shape);

}  // namespace aesgate::witness
