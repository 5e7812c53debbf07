// What makes the built-in backends a plugin like others: libaesgate_backends.so is all of them and this function.

#include "core/registry.h"

extern "C" __attribute__((visibility("default"))) const aesgate_backend* const* aesgate_backends() {
  static const auto all = [] {
    std::vector<const aesgate_backend*> backends = aesgate::built_in_backends();
    backends.push_back(nullptr);
    return backends;
  }();
  return all.data();
}
