// Fuzz target: the array of structs that a plugin offers (offered_backends.h). It is admitted if and only if every rule
// of aesgate_backend.h holds, which is worked out here once more; else the error is one line that says which backend.

#include <algorithm>
#include <cstring>
#include <set>

#include "core/plugin.h"
#include "core/registry.h"
#include "fuzz/offered_backends.h"
#include "fuzz/target.h"

namespace aesgate {
namespace {

/// As C sees it: up to the first NUL.
std::string c_string(const std::string& text) { return text.c_str(); }

bool is_of(const std::optional<std::string>& text, const char* letters) {
  return text && !c_string(*text).empty() && c_string(*text).find_first_not_of(letters) == std::string::npos;
}

bool obeys(const OfferedBackend& backend) {
  static constexpr const char* name_letters = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  static constexpr const char* unit_letters = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
  static const std::set<std::string> kinds{"software", "instruction", "coprocessor", "kernel", "library"};
  const std::uint64_t align = backend.context_align;
  return backend.abi_version == 1 && backend.struct_size >= sizeof(aesgate_backend) &&
         is_of(backend.name, name_letters) && backend.kind && kinds.contains(c_string(*backend.kind)) &&
         is_of(backend.unit, unit_letters) && backend.description &&
         std::ranges::all_of(needed_functions, [&](int bit) { return (backend.functions >> bit & 1) != 0; }) &&
         align > 0 && (align & (align - 1)) == 0 && align <= 2u << 20;
}

/// The place of the first backend that breaks a rule, from 1; 0 if none does.
std::size_t first_bad(const std::vector<OfferedBackend>& backends) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < backends.size(); ++i)
    if (!obeys(backends[i]) || !names.insert(c_string(*backends[i].name)).second) return i + 1;
  return 0;
}

void check(const std::vector<OfferedBackend>& offered) {
  const OfferedArray array(offered);
  const auto admitted = admit_all(array.get());
  const std::size_t bad = first_bad(offered);
  if (!admitted) {
    const std::string& line = admitted.error().message;
    if (bad == 0 && !offered.empty()) report_finding("refused, and breaks no rule: " + line);
    if (!offered.empty() && !line.starts_with(fmt::format("backend {}: ", bad)))
      report_finding(fmt::format("it is backend {} that breaks a rule, and not: {}", bad, line));
    if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) < ' '; }) || line.size() > 1000)
      report_finding("an error is one line, and this is not: \"" + line + "\"");
    return;
  }
  if (bad != 0 || offered.empty()) report_finding(fmt::format("admitted, but backend {} breaks a rule", bad));
  if (admitted->size() != offered.size()) report_finding("not all of the backends were admitted");
  for (const aesgate_backend* backend : *admitted) {
    const auto found = find_backend(backend->name, *admitted);
    if (!found || *found != backend) report_finding(fmt::format("{} is not found by its name", backend->name));
  }
}

}  // namespace
}  // namespace aesgate

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  aesgate::check(aesgate::decode_offered({data, size}));
  return 0;
}
