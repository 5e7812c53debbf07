#include "faulty_backend.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "core/allowance.h"
#include "core/bytes.h"
#include "oracle/oracle.h"

namespace aesgate::props {
namespace {

constexpr std::array<const char*, 22> names{"none",
                                            "key-bit-ignored",
                                            "encrypt-last-byte",
                                            "carry-lost",
                                            "in-place",
                                            "looks-ahead",
                                            "key-comes-back",
                                            "chaining-value",
                                            "chaining-value-inside",
                                            "block-number",
                                            "input-byte-ignored",
                                            "neighbour-leaks",
                                            "decrypt-first-byte",
                                            "iv-bit-ignored",
                                            "takes-any-length",
                                            "writes-past-the-end",
                                            "crashes",
                                            "no-decrypt",
                                            "no-chaining-value",
                                            "unavailable",
                                            "goes-away",
                                            "takes-its-time"};

const aesgate_backend& inner() { return cryptopp_oracle(); }

Fault fault_of(const aesgate_backend* self) {
  return static_cast<Fault>(std::find(names.begin(), names.end(), std::string_view(self->name)) - names.begin());
}

/// A context: what this backend keeps, and behind it that of the right one.
struct alignas(64) Context {
  Fault fault;
  aesgate_shape shape;
  std::array<std::uint8_t, 32> key;
  Block iv;
  bool key_came_back;
  std::size_t bytes_done;

  void* inner_context() { return this + 1; }
  const void* inner_context() const { return this + 1; }
};

int probe(const aesgate_backend* self, char* reason, size_t size) {
  static std::atomic<unsigned> asked = 0;
  const Fault fault = fault_of(self);
  const bool gone = fault == Fault::unavailable || (fault == Fault::goes_away && ++asked % 40 == 0);
  if (!gone) return AESGATE_OK;
  std::snprintf(reason, size, "it is switched off");
  return AESGATE_UNAVAILABLE;
}

size_t context_size(const aesgate_backend*, const aesgate_shape* shape) {
  return sizeof(Context) + inner().context_size(&inner(), shape);
}

int start_inner(Context& context) {
  return inner().start(&inner(), context.inner_context(), &context.shape, context.key.data(), context.iv.data());
}

/// Is this the key of the message before the last of this thread, and not that of the last?
bool came_back(const std::array<std::uint8_t, 32>& key) {
  thread_local std::array<std::array<std::uint8_t, 32>, 2> last{};
  const bool result = key == last[1] && key != last[0];
  last = {key, last[0]};
  return result;
}

int start(const aesgate_backend* self, void* memory, const aesgate_shape* shape, const uint8_t* key,
          const uint8_t* iv) {
  auto* context = new (memory) Context{fault_of(self), *shape, {}, {}, false, 0};
  std::copy_n(key, shape->key_bits / 8, context->key.begin());
  if (shape->mode != AESGATE_ECB) std::copy_n(iv, context->iv.size(), context->iv.begin());
  if (context->fault == Fault::key_comes_back) context->key_came_back = came_back(context->key);
  if (context->fault == Fault::key_bit_ignored) context->key[0] |= 1;
  if (context->fault == Fault::iv_bit_ignored) context->iv[15] |= 1;
  return start_inner(*context);
}

/// What is wrong before the right backend runs, in a copy of the input.
void spoil_input(Context& context, std::span<std::uint8_t> input) {
  if (context.fault == Fault::input_byte_ignored)
    for (std::size_t i = 15; i < input.size(); i += block_bytes) input[i] = 0;
}

/// What is wrong after it.
void spoil_output(const Context& context, ByteView input, std::uint8_t* out, bool in_place) {
  const bool encrypts = context.shape.direction == AESGATE_ENCRYPT;
  const std::size_t size = input.size();
  switch (context.fault) {
    case Fault::encrypt_last_byte: out[size - 1] ^= encrypts ? 0x80 : 0; break;
    case Fault::decrypt_first_byte: out[0] ^= encrypts ? 0 : 0x80; break;
    case Fault::in_place: out[0] ^= in_place ? 0x80 : 0; break;
    case Fault::looks_ahead: out[0] ^= size > block_bytes ? 0x80 : 0; break;
    case Fault::key_comes_back: out[0] ^= context.key_came_back ? 0x80 : 0; break;
    case Fault::block_number:
      for (std::size_t i = 0; i < size; ++i) out[i] ^= static_cast<std::uint8_t>(i / block_bytes);
      break;
    case Fault::neighbour_leaks:
      for (std::size_t i = 1; i < size; ++i) out[i] ^= input[i - 1];
      break;
    case Fault::writes_past_the_end: out[size] = 0; break;
    case Fault::crashes: {
      const volatile std::uint8_t* volatile null = nullptr;
      out[0] = *null;
      break;
    }
    default: break;
  }
}

int update(void* memory, const uint8_t* in, uint8_t* out, size_t length) {
  Context& context = *static_cast<Context*>(memory);
  const bool blocks = context.shape.mode == AESGATE_ECB || context.shape.mode == AESGATE_CBC;
  if (context.fault == Fault::takes_any_length && blocks) length -= length % block_bytes;
  if (context.fault == Fault::carry_lost && context.bytes_done > 0) {
    inner().finish(context.inner_context());
    start_inner(context);
  }
  if (context.fault == Fault::takes_its_time) {
    const auto start = Allowance::thread_time();
    while (Allowance::thread_time() - start < std::chrono::milliseconds(10)) {
    }
  }
  const aesgate_update_fn right = inner().update_for(&inner(), &context.shape);
  if (length == 0 || (blocks && length % block_bytes != 0)) return right(context.inner_context(), in, out, length);
  const std::size_t size = context.shape.mode == AESGATE_CFB1 ? (length + 7) / 8 : length;
  Bytes input(in, in + size);
  spoil_input(context, input);
  // Through memory of its own: in CFB1 the bits past the end must stay what they are in `out`.
  Bytes output(out, out + size);
  const int status = right(context.inner_context(), input.data(), output.data(), length);
  std::copy(output.begin(), output.end(), out);
  spoil_output(context, input, out, in == out);
  context.bytes_done += size;
  return status;
}

aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape) {
  if (fault_of(self) == Fault::no_decrypt && shape->direction == AESGATE_DECRYPT) return nullptr;
  return inner().update_for(&inner(), shape) != nullptr ? update : nullptr;
}

int chaining_value(const void* memory, uint8_t iv[16]) {
  const Context& context = *static_cast<const Context*>(memory);
  const int status = inner().chaining_value(context.inner_context(), iv);
  if (status == AESGATE_OK && context.fault == Fault::chaining_value) iv[7] ^= 1;
  if (context.fault == Fault::chaining_value_inside && context.shape.mode != AESGATE_ECB) return AESGATE_OK;
  return status;
}

void finish(void* memory) {
  Context& context = *static_cast<Context*>(memory);
  inner().finish(context.inner_context());
  std::memset(&context, 0, sizeof context);
}

}  // namespace

std::string_view name(Fault fault) { return names[static_cast<std::size_t>(fault)]; }

const aesgate_backend& faulty_backend(Fault fault) {
  static const std::array<aesgate_backend, names.size()> backends = [] {
    std::array<aesgate_backend, names.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = {AESGATE_ABI_VERSION,
                sizeof(aesgate_backend),
                names[i],
                "software",
                "none",
                "a backend with a known fault",
                nullptr,
                nullptr,
                probe,
                update_for,
                context_size,
                alignof(Context),
                start,
                nullptr,
                Fault{static_cast<int>(i)} == Fault::no_chaining_value ? nullptr : chaining_value,
                finish};
    }
    return all;
  }();
  return backends[static_cast<std::size_t>(fault)];
}

}  // namespace aesgate::props
