#include "perf/stack_place.h"

#include <cstdint>

#include <alloca.h>

namespace aesgate {
namespace {

constexpr std::size_t page = 4096;

/// Of its own, so that what is above it on the stack is always as much.
[[gnu::noinline]] void call(const std::function<void()>& function) {
  function();
  asm volatile("" ::: "memory");  // no tail call
}

}  // namespace

// AddressSanitizer would put more around what alloca() gives.
__attribute__((noinline, no_sanitize("address"))) void at_stack_offset(std::size_t offset,
                                                                       const std::function<void()>& function) {
  const auto* here = static_cast<const std::uint8_t*>(alloca(1));
  const std::size_t surplus = (reinterpret_cast<std::uintptr_t>(here) - offset) % page;
  auto* place = static_cast<std::uint8_t*>(alloca(surplus + 1));
  asm volatile("" : : "r"(here), "r"(place) : "memory");  // both are there while it runs
  call(function);
}

}  // namespace aesgate
