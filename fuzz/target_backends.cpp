#include "fuzz/target_backends.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "core/cpu_mask.h"
#include "core/plugin.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "emulator/emulator.h"
#include "fuzz/choose.h"
#include "fuzz/target.h"

namespace aesgate {
namespace {

std::string prefix = "./";  // libFuzzer's default

/// Not by exit(), which libFuzzer takes for a finding once it has begun.
[[noreturn]] void leave(int exit_status, const std::string& line) {
  fmt::print(stderr, "{}\n", line);
  std::fflush(nullptr);
  std::_Exit(exit_status);
}

std::string environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

bool is_available(const aesgate_backend* backend) { return why_unavailable(*backend).empty(); }

/// The plugin's backend of this name, or the one built in.
const aesgate_backend* find(const std::string& spec, const std::vector<const aesgate_backend*>& of_plugin) {
  const std::string_view name = std::string_view(spec).substr(0, spec.find(':'));
  const bool is_plugins =
      std::ranges::any_of(of_plugin, [&](const aesgate_backend* backend) { return name == backend->name; });
  const auto backend = is_plugins ? find_backend(spec, of_plugin) : find_backend(spec);
  if (!backend) leave(2, fmt::format("AESGATE_BACKENDS: {}", backend.error().message));
  if (const std::string why = why_unavailable(**backend); !why.empty())
    leave(3, fmt::format("AESGATE_BACKENDS: {} is unavailable: {}", spec, why));
  return *backend;
}

}  // namespace

void TargetBackends::initialize(int argc, char** argv) {
  static constexpr std::string_view option = "-artifact_prefix=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(option)) prefix = argument.substr(option.size());
  }
  if (const auto started = start_with_cpu_mask(argv); !started) leave(2, started.error().message);
}

TargetBackends& TargetBackends::get() {
  static TargetBackends backends;
  return backends;
}

TargetBackends::TargetBackends() {
  auto folder = CampaignFolder::from_environment();
  if (!folder) leave(2, folder.error().message);
  folder_ = std::move(*folder);
  if (const auto started = emulator::install_from_environment(); !started) leave(2, started.error().message);
  std::vector<const aesgate_backend*> of_plugin;
  if (const std::string plugin = environment("AESGATE_PLUGIN"); !plugin.empty()) {
    const auto loaded = load_plugin(plugin);
    if (!loaded) leave(2, fmt::format("AESGATE_PLUGIN: {}", loaded.error().message));
    of_plugin = *loaded;
  }
  const std::string names = environment("AESGATE_BACKENDS");
  if (!names.empty()) per_input_ = std::numeric_limits<std::size_t>::max();
  if (names.empty() || names == "all") {
    std::ranges::copy_if(of_plugin.empty() ? built_in_backends() : of_plugin, std::back_inserter(backends_),
                         is_available);
  } else {
    for (const std::string_view spec : split(names, ',')) backends_.push_back(find(std::string(spec), of_plugin));
  }
  if (backends_.empty()) leave(3, "no backend is available here: `aesgate list` says why");
}

std::vector<const aesgate_backend*> TargetBackends::choose(ByteView input) {
  if (folder_) folder_->note_input(input);
  return choose_backends(input, backends_, per_input_);
}

const std::string& TargetBackends::artifact_prefix() { return prefix; }

void TargetBackends::report(const FoundByTarget& found) {
  std::string line = found.line;
  if (!found.file.empty()) line += "; replay with " + found.file;
  if (folder_)
    if (const auto told = folder_->tell(found); !told) line += "; " + told.error().message;
  report_finding(line);
}

}  // namespace aesgate
