#include "core/registry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

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

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

std::size_t rank(std::string_view kind) {
  static constexpr std::array<std::string_view, 5> order{"software", "instruction", "coprocessor", "kernel", "library"};
  return static_cast<std::size_t>(std::ranges::find(order, kind) - order.begin());
}

std::string_view name_of(const aesgate_backend* backend) { return backend->name; }

/// Null if there is none.
const aesgate_backend* named(const std::vector<const aesgate_backend*>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, name_of);
  return found == all.end() ? nullptr : *found;
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
    if (backend->name == nullptr || !is_name(backend->name))
      return error("a backend is named \"{}\"; a name is made of a-z, 0-9, _ and -",
                   backend->name == nullptr ? "" : backend->name);
    const std::string_view name = backend->name;
    if (!names.insert(name).second) return error("two backends are named {}; rename one in its file", name);
    if (backend->abi_version != AESGATE_ABI_VERSION)
      return error("backend {}: abi_version is {}; this program knows {}", name, backend->abi_version,
                   AESGATE_ABI_VERSION);
    if (!std::has_single_bit(backend->context_align))
      return error("backend {}: context_align is {}, no power of two", name, backend->context_align);
    if (backend->probe == nullptr || backend->update_for == nullptr || backend->context_size == nullptr ||
        backend->start == nullptr || backend->finish == nullptr)
      return error("backend {}: probe, update_for, context_size, start and finish may not be null", name);
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
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const aesgate_backend* found = named(built_in_backends(), name);
  if (found == nullptr) found = named(built_in_forms(), name);
  if (found == nullptr) {
    std::vector<std::string_view> known;
    for (const aesgate_backend* backend : built_in_backends()) known.emplace_back(backend->name);
    return error("unknown backend \"{}\"; known: {}", name, fmt::join(known, ", "));
  }
  if (colon == std::string_view::npos) return found;
  const aesgate_backend& backend = *found;
  if (backend.configure == nullptr)
    return error("backend {} takes no options, but got \"{}\"", name, spec.substr(colon + 1));
  std::array<char, 512> reason{};
  const std::string options(spec.substr(colon + 1));
  const aesgate_backend* variant = backend.configure(&backend, options.c_str(), reason.data(), reason.size());
  reason.back() = '\0';
  if (variant == nullptr) return error("backend {}: {}", spec, reason.data());
  return variant;
}

std::string why_unavailable(const aesgate_backend& backend) {
  std::array<char, 512> reason{};
  int status = AESGATE_OK;
  auto probe = [&] { status = backend.probe(&backend, reason.data(), reason.size()); };
  if (run_trapped(probe)) return {};
  reason.back() = '\0';
  if (status == AESGATE_OK) return {};
  return reason[0] == '\0' ? fmt::format("probe() said {} and gave no reason", status) : reason.data();
}

}  // namespace aesgate
