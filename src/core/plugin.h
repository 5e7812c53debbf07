#pragma once

#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/call_note.h"
#include "core/result.h"

namespace aesgate {

/// What `kind` may say, in the order in which backends are listed.
inline constexpr std::array<std::string_view, 5> backend_kinds{"software", "instruction", "coprocessor", "kernel",
                                                               "library"};

/// Loads a shared object into this process, for as long as that lives, and gives the backends that its
/// aesgate_backends() names, at least one, each as admit() wants it and with a name of its own. What its code does to
/// this process while it is loaded is not held. `note`, if any, is told of each call. An Error begins with `file`.
[[nodiscard]] Result<std::vector<const aesgate_backend*>> load_plugin(const std::filesystem::path& file,
                                                                      CallNote* note = nullptr);

/// The same for a copy of the file in memory: a plugin of its own, with data of its own, however often the file was
/// loaded before; load_plugin() gives what is there already. Its copies stay until the process ends.
[[nodiscard]] Result<std::vector<const aesgate_backend*>> load_plugin_copy(const std::filesystem::path& file);

/// Has code of a plugin run in this process? It may have registered what runs when the process ends.
[[nodiscard]] bool plugin_is_loaded_here();

/// An Error unless `file` is a file that can be read: what can be said before any code of it runs.
[[nodiscard]] Result<void> check_plugin_file(const std::filesystem::path& file);

/// An Error that says which rule of aesgate_backend.h `backend` breaks, if any: version and size, name, kind, unit and
/// description, functions that may not be null, alignment. A larger struct than the host's is one of a later header.
[[nodiscard]] Result<void> admit(const aesgate_backend& backend);

/// The backends of the array that an aesgate_backends() gave, up to its null. An Error if that is null or empty, or
/// names the backend that admit() refuses or whose name is there twice, by its place.
[[nodiscard]] Result<std::vector<const aesgate_backend*>> admit_all(const aesgate_backend* const* offered);

}  // namespace aesgate
