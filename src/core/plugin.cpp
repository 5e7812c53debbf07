#include "core/plugin.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <span>

#include <dlfcn.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/text_file.h"

namespace aesgate {
namespace {

/// More is a mistake, such as a size: no unit wants a context at more than a huge page.
constexpr std::size_t largest_align = std::size_t{2} << 20;

/// Copies of structs that are shorter than the host's, which it may not read past their end.
const aesgate_backend* keep_full_copy(const aesgate_backend& offered) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<aesgate_backend>> copies;
  auto copy = std::make_unique<aesgate_backend>();
  std::memcpy(copy.get(), &offered, offered.struct_size);
  const std::lock_guard lock(mutex);
  copies.push_back(std::move(copy));
  return copies.back().get();
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

Result<void> check_word(const char* what, const char* word, std::span<const std::string_view> known) {
  if (word == nullptr) return error("{} is null", what);
  if (std::ranges::find(known, word) != known.end()) return {};
  return error("unknown {} \"{}\"; known: {}", what, excerpt(word), fmt::join(known, ", "));
}

Result<void> check_functions(const aesgate_backend& backend) {
  const std::array<std::pair<const char*, bool>, 5> needed{{{"probe", backend.probe != nullptr},
                                                            {"update_for", backend.update_for != nullptr},
                                                            {"context_size", backend.context_size != nullptr},
                                                            {"start", backend.start != nullptr},
                                                            {"finish", backend.finish != nullptr}}};
  for (const auto& [name, is_there] : needed)
    if (!is_there) return error("{}() is null; it must be there", name);
  if (!std::has_single_bit(backend.context_align) || backend.context_align > largest_align)
    return error("context_align is {}; it must be a power of two, at most {}", backend.context_align, largest_align);
  return {};
}

/// dlerror() without the path in front, which the caller names as the user did.
std::string loader_error(const std::filesystem::path& file) {
  const char* const said = dlerror();
  std::string text = said != nullptr ? said : "the loader gives no reason";
  if (const std::string prefix = file.string() + ": "; text.starts_with(prefix)) text.erase(0, prefix.size());
  return text;
}

Result<std::vector<const aesgate_backend*>> admit_all(const aesgate_backend* const* offered) {
  if (offered == nullptr) return error("aesgate_backends() gave null");
  std::vector<const aesgate_backend*> backends;
  std::set<std::string_view> names;
  for (; *offered != nullptr; ++offered) {
    const auto admitted = admit(*offered);
    if (!admitted) return error("backend {}: {}", backends.size() + 1, admitted.error().message);
    if (!names.insert((*admitted)->name).second)
      return error("backend {}: the name \"{}\" is there twice", backends.size() + 1, (*admitted)->name);
    backends.push_back(*admitted);
  }
  if (backends.empty()) return error("aesgate_backends() names no backend");
  return backends;
}

}  // namespace

Result<void> check_plugin_file(const std::filesystem::path& file) {
  std::error_code wrong;
  if (!std::filesystem::exists(file, wrong)) return error("{}: no such file", file.string());
  if (std::filesystem::is_directory(file, wrong)) return error("{}: is a directory", file.string());
  if (access(file.c_str(), R_OK) != 0) return error("{}: {}", file.string(), std::strerror(errno));
  return {};
}

Result<std::vector<const aesgate_backend*>> load_plugin(const std::filesystem::path& file, CallNote* note) {
  const auto noted = [note](const char* call, auto make) {
    if (note != nullptr) note->enter(call);
    const auto value = make();
    if (note != nullptr) note->leave();
    return value;
  };
  if (const auto readable = check_plugin_file(file); !readable) return tl::unexpected(readable.error());
  // A name without a slash would be looked for in the loader's folders.
  const std::filesystem::path path = std::filesystem::absolute(file);
  // All symbols now: one that is missing is then an error here and not the end of the process later.
  void* const object = noted("dlopen()", [&] { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (object == nullptr) return error("{}: no shared object that can be loaded: {}", file.string(), loader_error(path));
  void* const symbol = dlsym(object, "aesgate_backends");
  if (symbol == nullptr)
    return error("{}: exports no aesgate_backends(); aesgate_backend.h says what a plugin is", file.string());
  const auto function = reinterpret_cast<aesgate_backends_fn>(symbol);
  const auto* const offered = noted("aesgate_backends()", function);
  auto backends = admit_all(offered);
  if (!backends) return error("{}: {}", file.string(), backends.error().message);
  return backends;
}

Result<const aesgate_backend*> admit(const aesgate_backend* offered) {
  if (offered->abi_version != AESGATE_ABI_VERSION)
    return error("abi_version is {}; this program knows {}", offered->abi_version, AESGATE_ABI_VERSION);
  if (offered->struct_size < offsetof(aesgate_backend, name))
    return error("struct_size is {}; it must be sizeof(aesgate_backend)", offered->struct_size);
  const aesgate_backend* const backend =
      offered->struct_size < sizeof(aesgate_backend) ? keep_full_copy(*offered) : offered;
  if (backend->name == nullptr) return error("name is null");
  if (!is_name(backend->name)) return error("the name \"{}\" is not of a-z, 0-9, _ and -", excerpt(backend->name));
  if (const auto kind = check_word("kind", backend->kind, backend_kinds); !kind)
    return error("{}: {}", backend->name, kind.error().message);
  if (const auto unit = check_word("unit", backend->unit, backend_units); !unit)
    return error("{}: {}", backend->name, unit.error().message);
  if (backend->description == nullptr) return error("{}: description is null", backend->name);
  if (const auto functions = check_functions(*backend); !functions)
    return error("{}: {}", backend->name, functions.error().message);
  return backend;
}

}  // namespace aesgate
