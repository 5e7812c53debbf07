#include "fuzz/planted.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "core/allowance.h"
#include "core/shape.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

/// The faster one: the stage runs thousands of Cases of each shape.
const aesgate_backend& inner() { return cryptopp_oracle(); }

/// What stands in front of the inner backend's context.
struct Header {
  aesgate_update_fn update;
  std::uint32_t mode;
  unsigned calls;
};

std::size_t header_size() {
  const std::size_t align = std::max(inner().context_align, alignof(Header));
  return (sizeof(Header) + align - 1) / align * align;
}

void* inner_context(void* context) { return static_cast<std::uint8_t*>(context) + header_size(); }

template <Fault fault>
int update(void* context, const std::uint8_t* in, std::uint8_t* out, std::size_t length) {
  auto* header = static_cast<Header*>(context);
  const bool whole_blocks = length % 16 == 0;
  if (fault == Fault::takes_its_time) {
    const auto start = Allowance::thread_time();
    while (Allowance::thread_time() - start < std::chrono::milliseconds(2)) {
    }
  }
  if (fault == Fault::takes_any_length && !whole_blocks && (header->mode == AESGATE_ECB || header->mode == AESGATE_CBC))
    return AESGATE_OK;
  if (fault == Fault::reads_past_end && length >= 32 && header->mode != AESGATE_CFB1)
    (void)*static_cast<const volatile std::uint8_t*>(in + length);
  const int status = header->update(inner_context(context), in, out, length);
  if (status != AESGATE_OK || length == 0) return status;
  ++header->calls;
  if (fault == Fault::wrong_tail && header->mode == AESGATE_CFB128 && length >= 128 && !whole_blocks)
    out[length - 1] ^= 1;
  if (fault == Fault::wrong_later_call && header->calls >= 3) out[0] ^= 0x80;
  if (fault == Fault::writes_past_end && length >= 32 && header->mode != AESGATE_CFB1) out[length] ^= 1;
  return status;
}

template <Fault fault>
int probe(const aesgate_backend* /*self*/, char* reason, std::size_t size) {
  if (fault != Fault::is_not_here) return AESGATE_OK;
  std::snprintf(reason, size, "it was planted so");
  return AESGATE_UNAVAILABLE;
}

template <Fault fault>
aesgate_update_fn update_for(const aesgate_backend* /*self*/, const aesgate_shape* shape) {
  if (fault == Fault::has_no_decryption && shape->direction == AESGATE_DECRYPT) return nullptr;
  return inner().update_for(&inner(), shape) == nullptr ? nullptr : &update<fault>;
}

std::size_t context_size(const aesgate_backend* /*self*/, const aesgate_shape* shape) {
  return header_size() + inner().context_size(&inner(), shape);
}

int start(const aesgate_backend* /*self*/, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv) {
  *static_cast<Header*>(context) = {inner().update_for(&inner(), shape), shape->mode, 0};
  return inner().start(&inner(), inner_context(context), shape, key, iv);
}

int chaining_value(const void* context, std::uint8_t iv[16]) {
  return inner().chaining_value(static_cast<const std::uint8_t*>(context) + header_size(), iv);
}

void finish(void* context) { inner().finish(inner_context(context)); }

template <Fault fault>
const aesgate_backend& spoilt() {
  static const aesgate_backend backend{AESGATE_ABI_VERSION,
                                       sizeof(aesgate_backend),
                                       "planted",
                                       "software",
                                       "none",
                                       "an oracle with a planted fault",
                                       nullptr,
                                       nullptr,
                                       probe<fault>,
                                       update_for<fault>,
                                       context_size,
                                       std::max(inner().context_align, alignof(Header)),
                                       start,
                                       nullptr,
                                       inner().chaining_value == nullptr ? nullptr : chaining_value,
                                       finish};
  return backend;
}

}  // namespace

const aesgate_backend& planted(Fault fault) {
  switch (fault) {
    case Fault::none: break;
    case Fault::wrong_tail: return spoilt<Fault::wrong_tail>();
    case Fault::wrong_later_call: return spoilt<Fault::wrong_later_call>();
    case Fault::reads_past_end: return spoilt<Fault::reads_past_end>();
    case Fault::writes_past_end: return spoilt<Fault::writes_past_end>();
    case Fault::takes_any_length: return spoilt<Fault::takes_any_length>();
    case Fault::has_no_decryption: return spoilt<Fault::has_no_decryption>();
    case Fault::takes_its_time: return spoilt<Fault::takes_its_time>();
    case Fault::is_not_here: return spoilt<Fault::is_not_here>();
  }
  return spoilt<Fault::none>();
}

}  // namespace aesgate
