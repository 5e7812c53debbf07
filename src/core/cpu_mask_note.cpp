#include "core/cpu_mask_note.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/cpu_mask_libraries.h"
#include "core/registry.h"

namespace aesgate {
namespace {

/// How the library of a backend, by its name, was told.
std::string told(std::string_view backend, const CpuMask& mask) {
  const auto is = [&](std::string_view name) { return backend.starts_with(name); };
  if (is("libgcrypt"))
    return fmt::format("told by gcry_control(GCRYCTL_DISABLE_HWF): {}", fmt::join(libgcrypt_features(mask), ", "));
  if (is("cryptopp")) return "told by its flags, CryptoPP::g_hasAESNI and others";
  if (is("botan"))
    return fmt::format("told by BOTAN_CLEAR_CPUID or CPUID::clear_cpuid_bit(): {}",
                       fmt::join(botan_features(mask), ", "));
  for (const Variable& variable : variables_of_libraries(mask)) {
    const std::string_view name = variable.name;
    if ((is("openssl") && name.starts_with("OPENSSL")) || (is("nettle") && name.starts_with("NETTLE")))
      return fmt::format("told by {}={}", variable.name, variable.value);
  }
  if (is("nettle")) return "not told, since it has no code for what is hidden";
  return "cannot be told: it may use what is hidden";
}

}  // namespace

std::string note_on_cpu_mask(const aesgate_backend& backend) {
  if (cpu_mask().hides_nothing()) return {};
  const std::string_view kind = backend.kind;
  const bool asks_us = std::ranges::any_of(built_in_backends_and_forms(), [&](const aesgate_backend* own) {
    return std::string_view(own->name) == backend.name;
  });
  // A plugin may be of any kind.
  if (asks_us && (kind == "software" || kind == "instruction" || kind == "coprocessor")) return {};
  return fmt::format("--cpu-mask {}: {}", cpu_mask().text(), told(backend.name, cpu_mask()));
}

}  // namespace aesgate
