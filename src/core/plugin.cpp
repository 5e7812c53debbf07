#include "core/plugin.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <set>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/text_file.h"
#include "core/write_file.h"

namespace aesgate {
namespace {

/// More is a mistake, such as a size: no unit wants a context at more than a huge page.
constexpr std::size_t largest_align = std::size_t{2} << 20;

/// More are an array that does not end with null.
constexpr std::size_t most_backends = 1000;

/// Of files and of columns.
constexpr std::size_t longest_name = 64;

/// Of small letters, digits and `others`, so that it can be a file's name or a word in a table.
bool is_word(std::string_view text, std::string_view others) {
  const auto is_one = [others](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || others.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, is_one);
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

bool code_was_loaded = false;

}  // namespace

Result<std::vector<const aesgate_backend*>> admit_all(const aesgate_backend* const* offered) {
  if (offered == nullptr) return error("aesgate_backends() gave null");
  std::vector<const aesgate_backend*> backends;
  std::set<std::string_view> names;
  for (; *offered != nullptr; ++offered) {
    if (backends.size() == most_backends)
      return error("aesgate_backends() gave more than {} backends: does its array end with null?", most_backends);
    if (const auto admitted = admit(**offered); !admitted)
      return error("backend {}: {}", backends.size() + 1, admitted.error().message);
    if (!names.insert((*offered)->name).second)
      return error("backend {}: the name \"{}\" is there twice", backends.size() + 1, (*offered)->name);
    backends.push_back(*offered);
  }
  if (backends.empty()) return error("aesgate_backends() names no backend");
  return backends;
}

namespace {

/// What `path` holds, which its user knows as `file`.
Result<std::vector<const aesgate_backend*>> load(const std::filesystem::path& file, const std::filesystem::path& path,
                                                 CallNote* note) {
  const auto noted = [note](const char* call, auto make) {
    if (note != nullptr) note->enter(call);
    const auto value = make();
    if (note != nullptr) note->leave();
    return value;
  };
  // All symbols now: one that is missing is then an error here and not the end of the process later.
  code_was_loaded = true;
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

/// A file without a name that holds what `file` does. It stays open: the loader takes a name that it has seen for the
/// same object, and the number of a descriptor that is closed is given again.
Result<std::filesystem::path> copy_to_memory(const std::filesystem::path& file) {
  const int from = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return error("{}: {}", file.string(), std::strerror(errno));
  const int to = memfd_create("aesgate-plugin", MFD_CLOEXEC);
  std::array<char, 1 << 16> buffer;
  int wrong = to < 0 ? errno : 0;
  while (wrong == 0) {
    const ssize_t size = read(from, buffer.data(), buffer.size());
    if (size == 0) break;
    wrong = size < 0 ? errno : write_all(to, {buffer.data(), static_cast<std::size_t>(size)});
  }
  close(from);
  if (wrong == 0) return std::filesystem::path(fmt::format("/proc/self/fd/{}", to));
  if (to >= 0) close(to);
  return error("{}: no copy of it in memory: {}", file.string(), std::strerror(wrong));
}

}  // namespace

Result<void> check_plugin_file(const std::filesystem::path& file) {
  std::error_code wrong;
  if (file.empty()) return error("the name of a file is missing");
  if (!std::filesystem::exists(file, wrong)) return error("{}: no such file", file.string());
  if (std::filesystem::is_directory(file, wrong)) return error("{}: is a directory", file.string());
  if (access(file.c_str(), R_OK) != 0) return error("{}: {}", file.string(), std::strerror(errno));
  return {};
}

bool plugin_is_loaded_here() { return code_was_loaded; }

Result<std::vector<const aesgate_backend*>> load_plugin(const std::filesystem::path& file, CallNote* note) {
  if (const auto readable = check_plugin_file(file); !readable) return tl::unexpected(readable.error());
  // A name without a slash would be looked for in the loader's folders.
  return load(file, std::filesystem::absolute(file), note);
}

Result<std::vector<const aesgate_backend*>> load_plugin_copy(const std::filesystem::path& file) {
  if (const auto readable = check_plugin_file(file); !readable) return tl::unexpected(readable.error());
  const auto copy = copy_to_memory(file);
  if (!copy) return tl::unexpected(copy.error());
  auto backends = load(file, *copy, nullptr);
  if (backends) return backends;
  // A library that it needs may be found from the folder of the file alone ($ORIGIN): once the file itself is loaded
  // that is there for its copy, too.
  if (const auto itself = load_plugin(file); !itself) return itself;
  return load(file, *copy, nullptr);
}

Result<void> admit(const aesgate_backend& backend) {
  if (backend.abi_version != AESGATE_ABI_VERSION)
    return error("abi_version is {}; this program knows {}", backend.abi_version, AESGATE_ABI_VERSION);
  // All that may be missing from a struct was appended to this first one, whose last member may not. So far nothing
  // was: what is appended has to be read as null where struct_size ends before it.
  constexpr std::size_t smallest = offsetof(aesgate_backend, finish) + sizeof backend.finish;
  static_assert(smallest == sizeof(aesgate_backend), "smaller structs than the host's exist now: copy them");
  if (backend.struct_size < smallest)
    return error("struct_size is {}; up to finish(), which must be there, it is {}", backend.struct_size, smallest);
  if (backend.name == nullptr) return error("name is null");
  if (!is_word(backend.name, "_-")) return error("the name \"{}\" is not of a-z, 0-9, _ and -", excerpt(backend.name));
  if (std::strlen(backend.name) > longest_name)
    return error("the name \"{}\" is longer than {} bytes", excerpt(backend.name), longest_name);
  const auto of_this = [&backend](const std::string& wrong) { return error("{}: {}", backend.name, wrong); };
  if (backend.kind == nullptr) return of_this("kind is null");
  if (std::ranges::find(backend_kinds, backend.kind) == backend_kinds.end())
    return of_this(
        fmt::format("unknown kind \"{}\"; known: {}", excerpt(backend.kind), fmt::join(backend_kinds, ", ")));
  if (backend.unit == nullptr) return of_this("unit is null");
  if (!is_word(backend.unit, "._-"))
    return of_this(fmt::format("the unit \"{}\" is not of a-z, 0-9, ., _ and -", excerpt(backend.unit)));
  if (backend.description == nullptr) return of_this("description is null");
  if (const auto functions = check_functions(backend); !functions) return of_this(functions.error().message);
  return {};
}

}  // namespace aesgate
