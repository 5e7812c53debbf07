#include "core/driver.h"

#include <cstdio>
#include <exception>

namespace aesgate {
namespace {

Driver& driver(const aesgate_backend* self) { return *static_cast<Driver*>(const_cast<void*>(self->data)); }

int put_reason(const std::string& why, char* reason, std::size_t size) {
  if (size > 0) std::snprintf(reason, size, "%s", why.c_str());
  return AESGATE_UNAVAILABLE;
}

int probe(const aesgate_backend* self, char* reason, std::size_t size) {
  const std::string why = driver(self).why_unavailable();
  return why.empty() ? AESGATE_OK : put_reason(why, reason, size);
}

int refuse_update(void*, const std::uint8_t*, std::uint8_t*, std::size_t) { return AESGATE_FAILED; }

aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape) {
  if (shape->flags != 0) return nullptr;
  for (const Shape& known : all_shapes()) {
    const aesgate_shape abi = known.abi();
    if (abi.mode == shape->mode && abi.direction == shape->direction && abi.key_bits == shape->key_bits)
      return driver(self).supports(known) ? refuse_update : nullptr;
  }
  return nullptr;
}

const aesgate_backend* configure(const aesgate_backend* self, const char* options, char* reason, std::size_t size) {
  const auto variant = driver(self).configure(options);
  if (variant) return *variant;
  put_reason(variant.error().message, reason, size);
  return nullptr;
}

// Its address is the mark of a driven backend.
int refuse_start(const aesgate_backend*, void*, const aesgate_shape*, const std::uint8_t*, const std::uint8_t*) {
  return AESGATE_FAILED;
}

}  // namespace

aesgate_backend driven_backend(Driver& driver, const DrivenInfo& info) {
  return {
      .abi_version = AESGATE_ABI_VERSION,
      .struct_size = sizeof(aesgate_backend),
      .name = info.name.c_str(),
      .kind = info.kind.c_str(),
      .unit = info.unit.c_str(),
      .description = info.description.c_str(),
      .data = &driver,
      .configure = info.takes_options ? configure : nullptr,
      .probe = probe,
      .update_for = update_for,
      .context_size = [](const aesgate_backend*, const aesgate_shape*) -> std::size_t { return 1; },
      .context_align = 1,
      .start = refuse_start,
      .restart = nullptr,
      .chaining_value = nullptr,
      .finish = [](void*) {},
  };
}

Driver* driver_of(const aesgate_backend& backend) {
  return backend.start == refuse_start ? &driver(&backend) : nullptr;
}

Result<const aesgate_backend*> callable(const aesgate_backend& backend) {
  Driver* const found = driver_of(backend);
  return found == nullptr ? &backend : found->in_process();
}

}  // namespace aesgate
