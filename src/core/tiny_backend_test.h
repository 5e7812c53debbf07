#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/aesgate_backend.h"
#include "core/case.h"

// A backend for tests of execute(): no cipher, but all that a cipher needs to go wrong. Each output byte is the
// input's, with one of the key and one of the IV added. A test copies right_backend() and replaces a function.
namespace aesgate::tiny {

struct Context {
  std::uint8_t key[32];
  std::uint8_t iv[16];
  std::uint64_t position;
  std::uint64_t key_bytes;
};

inline int start(const aesgate_backend*, void* memory, const aesgate_shape* shape, const std::uint8_t* key,
                 const std::uint8_t* iv) {
  auto& context = *static_cast<Context*>(memory);
  context.key_bytes = shape->key_bits / 8;
  std::memcpy(context.key, key, context.key_bytes);
  if (iv != nullptr) std::memcpy(context.iv, iv, sizeof context.iv);
  if (iv == nullptr) std::memset(context.iv, 0, sizeof context.iv);
  context.position = 0;
  return AESGATE_OK;
}

inline int restart(void* memory, const std::uint8_t* iv) {
  auto& context = *static_cast<Context*>(memory);
  if (iv != nullptr) std::memcpy(context.iv, iv, sizeof context.iv);
  context.position = 0;
  return AESGATE_OK;
}

inline int update(void* memory, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  auto& context = *static_cast<Context*>(memory);
  for (std::size_t i = 0; i < length; ++i, ++context.position)
    out[i] = static_cast<std::uint8_t>(in[i] ^ context.key[context.position % context.key_bytes] ^
                                       context.iv[context.position % 16]);
  return AESGATE_OK;
}

inline void finish(void* memory) { std::memset(memory, 0, sizeof(Context)); }

/// OFB only, in all key sizes; it does not tell its chaining value.
inline aesgate_backend right_backend() {
  aesgate_backend backend{};
  backend.abi_version = AESGATE_ABI_VERSION;
  backend.struct_size = sizeof backend;
  backend.name = "tiny";
  backend.kind = "software";
  backend.unit = "none";
  backend.description = "no cipher";
  backend.probe = [](const aesgate_backend*, char*, std::size_t) -> int { return AESGATE_OK; };
  backend.update_for = [](const aesgate_backend*, const aesgate_shape* shape) -> aesgate_update_fn {
    return shape->mode == AESGATE_OFB && shape->flags == 0 ? update : nullptr;
  };
  backend.context_size = [](const aesgate_backend*, const aesgate_shape*) { return sizeof(Context); };
  backend.context_align = alignof(Context);
  backend.start = start;
  backend.restart = restart;
  backend.finish = finish;
  return backend;
}

/// update_for() of a backend whose update() is Update.
template <aesgate_update_fn Update>
aesgate_update_fn with_update(const aesgate_backend*, const aesgate_shape* shape) {
  return shape->mode == AESGATE_OFB && shape->flags == 0 ? Update : nullptr;
}

inline Case a_case(std::vector<std::size_t> chunks) {
  std::size_t length = 0;
  for (const std::size_t chunk : chunks) length += chunk;
  Case c =
      make_case({Mode::ofb, Direction::encrypt, KeySize::bits128}, Key(), Block{1, 2, 3}, Bytes(length, 0x11), length);
  for (std::size_t i = 0; i < 16; ++i) c.key.bytes()[i] = static_cast<std::uint8_t>(0x80 + 7 * i);
  c.chunks = std::move(chunks);
  return c;
}

}  // namespace aesgate::tiny
