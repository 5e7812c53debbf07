#include "core/registry.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/plugin.h"
#include "core/text_file.h"
#include "core/trap.h"

// The linker names the two ends of a section whose name is a C identifier.
extern "C" {
extern const aesgate_backend* const __start_aesgate_backends[] __attribute__((visibility("hidden")));
extern const aesgate_backend* const __stop_aesgate_backends[] __attribute__((visibility("hidden")));
extern const aesgate_backend* const __start_aesgate_forms[] __attribute__((visibility("hidden")));
extern const aesgate_backend* const __stop_aesgate_forms[] __attribute__((visibility("hidden")));
}

namespace aesgate {
namespace {

std::size_t rank(std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::find(backend_kinds, kind) - backend_kinds.begin());
}

std::string_view name_of(const aesgate_backend* backend) { return backend->name; }

/// Null if there is none.
const aesgate_backend* named(const std::vector<const aesgate_backend*>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, name_of);
  return found == all.end() ? nullptr : *found;
}

struct Probed {
  int status;
  std::string text;
};

/// Nothing if probe() crashed.
std::optional<Probed> probe(const aesgate_backend& backend) {
  std::array<char, 512> text{};
  int status = AESGATE_OK;
  auto call = [&] { status = backend.probe(&backend, text.data(), text.size()); };
  if (run_trapped(call)) return std::nullopt;
  return Probed{status, said(text)};
}

}  // namespace

const std::vector<const aesgate_backend*>& built_in_backends() {
  static const auto backends = [] {
    std::vector<const aesgate_backend*> all(__start_aesgate_backends, __stop_aesgate_backends);
    std::ranges::sort(all, [](const aesgate_backend* a, const aesgate_backend* b) {
      return std::pair(rank(a->kind), std::string_view(a->name)) < std::pair(rank(b->kind), std::string_view(b->name));
    });
    return all;
  }();
  return backends;
}

Result<void> check_backends(const std::vector<const aesgate_backend*>& backends) {
  std::set<std::string_view> names;
  for (const aesgate_backend* backend : backends) {
    if (const auto admitted = admit(*backend); !admitted) return error("a backend: {}", admitted.error().message);
    if (!names.insert(backend->name).second)
      return error("two backends are named {}; rename one in its file", backend->name);
  }
  return {};
}

const std::vector<const aesgate_backend*>& built_in_forms() {
  static const auto forms = [] {
    std::vector<const aesgate_backend*> all(__start_aesgate_forms, __stop_aesgate_forms);
    std::ranges::sort(all, {}, name_of);
    return all;
  }();
  return forms;
}

std::vector<const aesgate_backend*> built_in_backends_and_forms() {
  std::vector<const aesgate_backend*> all = built_in_backends();
  all.insert(all.end(), built_in_forms().begin(), built_in_forms().end());
  return all;
}

Result<const aesgate_backend*> find_backend(std::string_view spec) {
  const aesgate_backend* const form = named(built_in_forms(), spec.substr(0, spec.find(':')));
  return form != nullptr ? find_backend(spec, {form}) : find_backend(spec, built_in_backends());
}

Result<const aesgate_backend*> find_backend(std::string_view spec,
                                            const std::vector<const aesgate_backend*>& backends) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const aesgate_backend* const found = named(backends, name);
  if (found == nullptr) {
    std::vector<std::string_view> known;
    for (const aesgate_backend* backend : backends) known.emplace_back(backend->name);
    return error("unknown backend \"{}\"; known: {}", name, fmt::join(known, ", "));
  }
  if (colon == std::string_view::npos) return found;
  const aesgate_backend& backend = *found;
  if (backend.configure == nullptr)
    return error("backend {} takes no options, but got \"{}\"", name, spec.substr(colon + 1));
  std::array<char, 512> reason{};
  const std::string options(spec.substr(colon + 1));
  const aesgate_backend* variant = backend.configure(&backend, options.c_str(), reason.data(), reason.size());
  const std::string why = said(reason);
  if (variant == nullptr)
    return error("backend {}: {}", spec, why.empty() ? "configure() refused and gave no reason" : why);
  if (const auto admitted = admit(*variant); !admitted)
    return error("backend {}: its variant: {}", spec, admitted.error().message);
  // Its own name is fine: a backend may keep it whatever its options are.
  if (const aesgate_backend* other = named(backends, variant->name); other != nullptr && other != found)
    return error("backend {}: its variant has the name of another backend, {}", spec, other->name);
  return variant;
}

std::string why_unavailable(const aesgate_backend& backend) {
  const auto probed = probe(backend);
  if (!probed || probed->status == AESGATE_OK) return {};
  return probed->text.empty() ? fmt::format("probe() said {} and gave no reason", probed->status) : probed->text;
}

std::string remark_on(const aesgate_backend& backend) {
  const auto probed = probe(backend);
  return probed && probed->status == AESGATE_OK ? probed->text : "";
}

}  // namespace aesgate
