// What libaesgate_faults.so exports: all of its faults, as a plugin like others.

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "fuzz/faults/wrapper.h"
#include "modes/engine.h"

// The linker names the two ends of a section whose name is a C identifier.
extern "C" {
extern const aesgate_backend* const __start_aesgate_backends[] __attribute__((visibility("hidden")));
extern const aesgate::faults::Fault* const __start_aesgate_faults[] __attribute__((visibility("hidden")));
extern const aesgate::faults::Fault* const __stop_aesgate_faults[] __attribute__((visibility("hidden")));
}

namespace aesgate::faults {
namespace {

static_assert(alignof(Message) >= alignof(ContextHead), "the good backend's context follows a Message");

/// By group and name, whatever the linker's order, and those that are right last.
const std::vector<const Fault*>& all_faults() {
  static const auto sorted = [] {
    std::vector<const Fault*> faults(__start_aesgate_faults, __stop_aesgate_faults);
    std::ranges::sort(faults, {}, [](const Fault* fault) {
      const std::string_view name = fault->backend.name;
      return std::tuple(name.starts_with("clean-"), std::string_view(fault->group), name);
    });
    faults.push_back(nullptr);
    return faults;
  }();
  return sorted;
}

}  // namespace

/// ttable.cpp is the only file of this library that registers one (backends/register.h).
const aesgate_backend& good() { return *__start_aesgate_backends[0]; }

}  // namespace aesgate::faults

extern "C" {

__attribute__((visibility("default"))) const aesgate_backend* const* aesgate_backends() {
  static const auto backends = [] {
    std::vector<const aesgate_backend*> all;
    for (const auto* fault : aesgate::faults::all_faults()) all.push_back(fault == nullptr ? nullptr : &fault->backend);
    return all;
  }();
  return backends.data();
}

__attribute__((visibility("default"))) const aesgate::faults::Fault* const* aesgate_faults() {
  return aesgate::faults::all_faults().data();
}
}
