#pragma once

#include <cstddef>
#include <functional>

namespace aesgate {

/// Calls `function` with a stack that begins `offset` bytes into a page, a multiple of 64 below 4096. Where the kernel
/// put the stack is drawn anew for each process, and a load waits for an earlier store whose address has the same low
/// twelve bits: a kernel that spills registers beside its round keys then takes 1.00, 1.06 or 1.25 times as long by
/// launch.
void at_stack_offset(std::size_t offset, const std::function<void()>& function);

}  // namespace aesgate
