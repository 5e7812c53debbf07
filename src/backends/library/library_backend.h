#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "abi/aesgate_backend.h"
#include "backends/register.h"
#include "core/secret.h"

// What the library backends share: library_backend<Context>() makes the C struct from a Context, a class that holds
// the library's own objects and is one type for all shapes. What it must have:
//
//     Context() noexcept;            allocates nothing: it is destroyed whatever start() says.
//     int start(const aesgate_backend& self, const aesgate_shape&, const uint8_t* key, const uint8_t* iv);
//     int restart(const uint8_t* iv);
//     static aesgate_update_fn update_for(const aesgate_backend& self, const aesgate_shape&);
//                                    for a shape that exists; mostly an update<…>() from below.
//
// and what it may have, each for the function of that name in aesgate_backend.h, which is null without it:
//
//     int chaining_value(uint8_t* iv) const;
//     static const aesgate_backend* configure(const aesgate_backend* self, const char* options, char* reason, size_t
//     size);
//
// and `static int probe(const aesgate_backend* self, char* reason, size_t size)`, without which the library is always
// available. Whatever throws has failed. The destructor releases; the memory is wiped after it.
namespace aesgate::library {

inline constexpr std::size_t block_bytes = 16;

/// call(), or AESGATE_FAILED if it throws.
template <typename Call>
int guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    return AESGATE_FAILED;
  }
}

/// An update function. Process: `bool Process(Context&, const uint8_t* in, uint8_t* out, size_t length)`, false for an
/// error of the library; it is given lengths above 0 that are multiples of Multiple, 1 or 16.
template <typename Context, auto Process, std::size_t Multiple>
int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) noexcept {
  if (length % Multiple != 0) return AESGATE_BAD_ARGUMENT;
  if (length == 0) return AESGATE_OK;
  return guarded(
      [&] { return Process(*static_cast<Context*>(context), in, out, length) ? AESGATE_OK : AESGATE_FAILED; });
}

/// The same for a mode of whole blocks, and for one that takes any length.
template <typename Context, auto Process>
inline constexpr aesgate_update_fn update_blocks = update<Context, Process, block_bytes>;
template <typename Context, auto Process>
inline constexpr aesgate_update_fn update_any = update<Context, Process, 1>;

/// Does the shape need the inverse cipher (SP 800-38A section 6)?
inline bool needs_inverse_cipher(const aesgate_shape& shape) {
  return shape.direction == AESGATE_DECRYPT && (shape.mode == AESGATE_ECB || shape.mode == AESGATE_CBC);
}

inline bool exists(const aesgate_shape& shape) {
  return shape.flags == 0 && shape.mode <= AESGATE_OFB && shape.direction <= AESGATE_DECRYPT &&
         (shape.key_bits == 128 || shape.key_bits == 192 || shape.key_bits == 256);
}

namespace detail {

template <typename Context>
aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape) {
  return exists(*shape) ? Context::update_for(*self, *shape) : nullptr;
}

template <typename Context>
std::size_t context_size(const aesgate_backend*, const aesgate_shape*) {
  return sizeof(Context);
}

template <typename Context>
int start(const aesgate_backend* self, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv) {
  auto* c = new (context) Context;
  return guarded([&] { return c->start(*self, *shape, key, iv); });
}

template <typename Context>
int restart(void* context, const std::uint8_t* iv) {
  return guarded([&] { return static_cast<Context*>(context)->restart(iv); });
}

template <typename Context>
int chaining_value(const void* context, std::uint8_t iv[16]) {
  return guarded([&] { return static_cast<const Context*>(context)->chaining_value(iv); });
}

template <typename Context>
void finish(void* context) {
  std::destroy_at(static_cast<Context*>(context));
  wipe(context, sizeof(Context));
}

inline int always_available(const aesgate_backend*, char*, std::size_t) { return AESGATE_OK; }

}  // namespace detail

template <typename Context>
constexpr aesgate_backend library_backend(const char* name, const char* description) {
  static_assert(noexcept(Context()));
  aesgate_backend b{};
  b.abi_version = AESGATE_ABI_VERSION;
  b.struct_size = sizeof(aesgate_backend);
  b.name = name;
  b.kind = "library";
  b.unit = "any";  // the library chooses by the CPU, and has no interface that says what it chose
  b.description = description;
  b.probe = detail::always_available;
  b.update_for = detail::update_for<Context>;
  b.context_size = detail::context_size<Context>;
  b.context_align = alignof(Context);
  b.start = detail::start<Context>;
  b.restart = detail::restart<Context>;
  b.finish = detail::finish<Context>;
  if constexpr (requires { &Context::configure; }) b.configure = Context::configure;
  if constexpr (requires { &Context::probe; }) b.probe = Context::probe;
  if constexpr (requires { &Context::chaining_value; }) b.chaining_value = detail::chaining_value<Context>;
  return b;
}

}  // namespace aesgate::library
