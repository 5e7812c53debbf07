#include "backends/adapter.h"

#include <cstring>

#include "core/secret.h"

namespace aesgate::adapter {
namespace {

const EngineTable& table_of(const aesgate_backend* self) { return *static_cast<const EngineTable*>(self->data); }

bool is_shape(const aesgate_shape& shape) {
  return shape.mode <= AESGATE_OFB && shape.direction <= AESGATE_DECRYPT && shape.flags == 0 &&
         (shape.key_bits == 128 || shape.key_bits == 192 || shape.key_bits == 256);
}

std::size_t key_index(const aesgate_shape& shape) { return shape.key_bits / 64 - 2; }

/// Only ECB and CBC decryption use the inverse cipher.
bool uses_inverse(const aesgate_shape& shape) {
  return shape.direction == AESGATE_DECRYPT && (shape.mode == AESGATE_ECB || shape.mode == AESGATE_CBC);
}

/// All serial modes encrypt the block before.
bool is_serial(const aesgate_shape& shape) {
  return shape.mode == AESGATE_OFB || (shape.mode != AESGATE_ECB && shape.direction == AESGATE_ENCRYPT);
}

/// A context without keys: what finish() needs where start() fails.
ContextHead* make_head(void* context, const aesgate_shape& shape, std::size_t size) {
  auto* head = static_cast<ContextHead*>(context);
  head->used = 0;
  head->mode = shape.mode;
  head->size = size;
  return head;
}

int refuse_update(void*, const std::uint8_t*, std::uint8_t*, std::size_t) { return AESGATE_UNAVAILABLE; }

}  // namespace

int probe(const aesgate_backend* self, char* reason, std::size_t size) {
  const EngineTable& table = table_of(self);
  return probe_features(table.needs, table.need_count, reason, size);
}

aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape) {
  if (!is_shape(*shape)) return nullptr;
  return table_of(self).update[shape->mode][shape->direction][key_index(*shape)];
}

std::size_t context_size(const aesgate_backend* self, const aesgate_shape* shape) {
  if (!is_shape(*shape)) return sizeof(ContextHead);
  const std::size_t size = sizeof(ContextHead) + table_of(self).keys_size[key_index(*shape)];
  return (size + alignof(ContextHead) - 1) / alignof(ContextHead) * alignof(ContextHead);
}

int start(const aesgate_backend* self, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv) {
  ContextHead* head = make_head(context, *shape, sizeof(ContextHead));
  if (!is_shape(*shape)) return AESGATE_UNSUPPORTED;
  if (probe(self, nullptr, 0) != AESGATE_OK) return AESGATE_UNAVAILABLE;
  head->size = context_size(self, shape);
  // The first round key is the first block of the key (FIPS-197 section 5.2).
  if (is_serial(*shape))
    std::memcpy(head->whitening, key, sizeof head->whitening);
  else
    std::memset(head->whitening, 0, sizeof head->whitening);
  table_of(self).expand[uses_inverse(*shape) ? 1 : 0][key_index(*shape)](head + 1, key);
  return restart(context, iv);
}

int restart(void* context, const std::uint8_t* iv) {
  auto* head = static_cast<ContextHead*>(context);
  head->used = 0;
  if (head->mode == AESGATE_ECB) return AESGATE_OK;
  for (std::size_t i = 0; i < sizeof head->chain; ++i) head->chain[i] = iv[i] ^ head->whitening[i];
  return AESGATE_OK;
}

int chaining_value(const void* context, std::uint8_t iv[16]) {
  const auto* head = static_cast<const ContextHead*>(context);
  if (head->mode == AESGATE_ECB || head->used != 0) return AESGATE_UNSUPPORTED;
  for (std::size_t i = 0; i < sizeof head->chain; ++i) iv[i] = head->chain[i] ^ head->whitening[i];
  return AESGATE_OK;
}

void finish(void* context) { wipe(context, static_cast<ContextHead*>(context)->size); }

int probe_elsewhere(const aesgate_backend* self, char* reason, std::size_t size) {
  if (size > 0) {
    std::strncpy(reason, static_cast<const char*>(self->data), size - 1);
    reason[size - 1] = '\0';
  }
  return AESGATE_UNAVAILABLE;
}

aesgate_update_fn update_for_elsewhere(const aesgate_backend*, const aesgate_shape* shape) {
  return is_shape(*shape) ? refuse_update : nullptr;
}

std::size_t context_size_elsewhere(const aesgate_backend*, const aesgate_shape*) { return sizeof(ContextHead); }

int start_elsewhere(const aesgate_backend*, void* context, const aesgate_shape* shape, const std::uint8_t*,
                    const std::uint8_t*) {
  make_head(context, *shape, sizeof(ContextHead));
  return is_shape(*shape) ? AESGATE_UNAVAILABLE : AESGATE_UNSUPPORTED;
}

}  // namespace aesgate::adapter
