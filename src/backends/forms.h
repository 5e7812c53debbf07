#pragma once

#include "backends/adapter.h"

// A backend whose algorithm is compiled in several forms, each for an instruction set: the best one that the CPU has is
// the backend. A form is a file in the folder of the backend's name:
//
//     software/bitslice.cpp            constexpr aesgate_backend backend = aesgate::best_form("bitslice", …);
//                                      AESGATE_REGISTER(backend);
//     software/bitslice/avx512.cpp     constexpr aesgate_backend form = aesgate::adapt<Engine>("bitslice-avx512", …);
//                                      AESGATE_REGISTER_FORM(form);
//
// where Engine::rank says which form is better. Form and backend know each other by name alone: a form's file, which
// may be an ISA file, defines no symbol for others, and a new form is a new file.

namespace aesgate {

namespace forms {

const aesgate_backend* configure(const aesgate_backend* self, const char* options, char* reason, std::size_t size);
int probe(const aesgate_backend* self, char* reason, std::size_t size);
aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape);
std::size_t context_size(const aesgate_backend* self, const aesgate_shape* shape);
int start(const aesgate_backend* self, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv);

}  // namespace forms

/// The backend that is the best of its forms. "form=avx512" in configure() names one, available or not.
constexpr aesgate_backend best_form(const char* name, const char* kind, const char* unit, const char* description) {
  return {
      .abi_version = AESGATE_ABI_VERSION,
      .struct_size = sizeof(aesgate_backend),
      .name = name,
      .kind = kind,
      .unit = unit,
      .description = description,
      .data = nullptr,
      .configure = forms::configure,
      .probe = forms::probe,
      .update_for = forms::update_for,
      .context_size = forms::context_size,
      .context_align = alignof(ContextHead),
      .start = forms::start,
      .restart = adapter::restart,
      .chaining_value = adapter::chaining_value,
      .finish = adapter::finish,
  };
}

}  // namespace aesgate
