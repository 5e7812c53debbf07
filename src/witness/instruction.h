#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "witness/step.h"

namespace aesgate::witness {

/// Instruction: what one step executes, and which memory it touches. Decoded by Zydis, without any allocation or system
/// call, so that an observer of single steps can do it.
struct Instruction {
  static constexpr std::size_t max_addresses = 24;  // sixteen of a gather, and whatever has two operands

  std::size_t length = 0;  // in bytes; 0: it could not be decoded, and nothing else here is known
  std::array<std::uint64_t, max_addresses> addresses{};
  std::size_t address_count = 0;

  [[nodiscard]] bool decoded() const { return length != 0; }
  [[nodiscard]] std::span<const std::uint64_t> touched() const { return {addresses.data(), address_count}; }
};

/// Decodes the instruction at step.address, of which all bytes must be readable, as they are where it is executed. The
/// addresses are where each memory operand begins, hidden ones (the stack, strings) too, in the order of the encoding;
/// for a gather or scatter, of each element that its mask has; for a bit test in memory, of the byte with the bit. LEA
/// and NOP touch none; a prefetch does.
[[nodiscard]] Instruction decode(const Step& step);

/// Are the instructions at two addresses of this process the same, but for the distances to what lies elsewhere: to
/// where a jump or call leads, and to what is addressed from RIP? False if one cannot be decoded.
[[nodiscard]] bool same_but_for_place(std::uint64_t one, std::uint64_t other);

}  // namespace aesgate::witness
