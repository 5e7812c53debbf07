#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "abi/aesgate_backend.h"
#include "backends/register.h"

namespace aesgate::library {

/// The backend of a library that was not there when this program was built: always unavailable, with `reason`.
constexpr aesgate_backend not_built(const char* name, const char* description, const char* reason) {
  aesgate_backend b{};
  b.abi_version = AESGATE_ABI_VERSION;
  b.struct_size = sizeof(aesgate_backend);
  b.name = name;
  b.kind = "library";
  b.unit = "any";
  b.description = description;
  b.data = reason;
  b.probe = [](const aesgate_backend* self, char* text, std::size_t size) -> int {
    std::snprintf(text, size, "%s", static_cast<const char*>(self->data));
    return AESGATE_UNAVAILABLE;
  };
  b.update_for = [](const aesgate_backend*, const aesgate_shape*) -> aesgate_update_fn { return nullptr; };
  b.context_size = [](const aesgate_backend*, const aesgate_shape*) -> std::size_t { return 1; };
  b.context_align = 1;
  b.start = [](const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) -> int {
    return AESGATE_UNAVAILABLE;
  };
  b.finish = [](void*) {};
  return b;
}

}  // namespace aesgate::library
