#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// For tests: the unit's instruction, bare.

namespace aesgate::emulator {

struct Registers {
  std::uint64_t rax = 0, rbx = 0, rcx = 0, rdx = 0, rsi = 0, rdi = 0;
};

inline constexpr int ecb = 0xc8;
inline constexpr int cbc = 0xd0;
inline constexpr int cfb = 0xe0;
inline constexpr int ofb = 0xe8;

#define RUN_XCRYPT(before, after)                                                             \
  asm volatile(before ".byte 0xf3, 0x0f, 0xa7, %c[op]" after                                  \
               : "+a"(r.rax), "+b"(r.rbx), "+c"(r.rcx), "+d"(r.rdx), "+S"(r.rsi), "+D"(r.rdi) \
               : [op] "i"(op)                                                                 \
               : "memory", "cc")

/// Without the two instructions that have the key loaded anew.
template <int op>
void keep_key(Registers& r) {
  RUN_XCRYPT("", "");
}

template <int op>
void reload_key(Registers& r) {
  RUN_XCRYPT("lea -128(%%rsp), %%rsp\n\tpushfq\n\tpopfq\n\t", "\n\tlea 128(%%rsp), %%rsp");
}

template <std::size_t n>
struct alignas(16) Aligned {
  std::array<std::uint8_t, n> bytes{};
  [[nodiscard]] std::uint64_t at(std::size_t offset = 0) const {
    return reinterpret_cast<std::uint64_t>(bytes.data()) + offset;
  }
};

}  // namespace aesgate::emulator
