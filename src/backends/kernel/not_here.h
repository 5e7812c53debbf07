#pragma once

#include "backends/library/not_built.h"

namespace aesgate::kernel {

/// The backend of a kernel's interface that was not there when this program was built: always unavailable, with
/// `reason`.
constexpr aesgate_backend not_here(const char* name, const char* description, const char* reason) {
  aesgate_backend b = library::not_built(name, description, reason);
  b.kind = "kernel";
  b.unit = "kernel";
  return b;
}

}  // namespace aesgate::kernel
