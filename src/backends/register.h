#pragma once

#include "abi/aesgate_backend.h"

// Every backend's file includes this header, also one that is compiled for an instruction set which this
// CPU may lack. Such an ISA file keeps internal linkage for all that it defines and takes no inline
// function from a shared header: the linker keeps one copy of an inline function, and that could be the
// one with AVX-512 in it. src/DESIGN.md says how this is checked.

/// AESGATE_REGISTER(backend): puts a built-in backend, a const aesgate_backend of internal linkage, on the
/// list of core/registry.h. It is data in a section of its own, without a constructor that would run
/// before main on a CPU that cannot.
#define AESGATE_REGISTER(backend) \
  __attribute__((section("aesgate_backends"), used)) static const aesgate_backend* const aesgate_registered = &(backend)

/// AESGATE_REGISTER_FORM(backend): the same for one of the forms of a backend, which are on a list of their own: see
/// backends/forms.h.
#define AESGATE_REGISTER_FORM(backend) \
  __attribute__((section("aesgate_forms"), used)) static const aesgate_backend* const aesgate_registered = &(backend)
