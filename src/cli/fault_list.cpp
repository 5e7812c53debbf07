#include "cli/fault_list.h"

#include <array>

#include <dlfcn.h>

#include "core/plugin.h"

namespace aesgate {

Result<std::filesystem::path> find_faults_plugin() {
  std::error_code wrong;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", wrong).parent_path();
  const std::array places{program / "plugins", program.parent_path() / AESGATE_LIBRARY_FOLDER / "aesgate"};
  for (const auto& place : places)
    if (auto plugin = place / "libaesgate_faults.so"; std::filesystem::exists(plugin, wrong)) return plugin;
  return error("libaesgate_faults.so, which has the faults, is neither in {} nor in {}", places[0].string(),
               places[1].string());
}

Result<std::vector<const faults::Fault*>> load_faults(const std::filesystem::path& plugin) {
  if (const auto loaded = load_plugin(plugin); !loaded) return tl::unexpected(loaded.error());
  void* const object = dlopen(std::filesystem::absolute(plugin).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = object == nullptr ? nullptr : dlsym(object, "aesgate_faults");
  if (symbol == nullptr) return error("{}: exports no aesgate_faults(): it is another plugin", plugin.string());
  std::vector<const faults::Fault*> all;
  for (const auto* fault = reinterpret_cast<aesgate_faults_fn>(symbol)(); *fault != nullptr; ++fault)
    all.push_back(*fault);
  return all;
}

}  // namespace aesgate
