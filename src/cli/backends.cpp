#include "cli/backends.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/ranges.h>

#include "core/plugin.h"
#include "core/registry.h"
#include "core/text_file.h"
#include "emulator/stand_in.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

constexpr double most_seconds = 3600;

std::string name_in(const std::string& spec) { return spec.substr(0, spec.find(':')); }

bool has(const std::vector<const aesgate_backend*>& backends, const std::string& name) {
  return std::ranges::any_of(backends, [&](const aesgate_backend* b) { return b->name == name; });
}

}  // namespace

void add_backend_options(CLI::App& command, BackendOptions& options) {
  command
      .add_option("--backend", options.backends,
                  "Only these backends, one of them with OPTIONS for it; repeatable (default: all; see 'aesgate list')")
      ->type_name("NAME[,NAME]|NAME:OPTIONS")
      ->allow_extra_args(false);
  command
      .add_option("--plugin", options.plugins,
                  "The backends of this shared object instead of those built in, which --backend can add; repeatable")
      ->type_name("FILE.so")
      ->allow_extra_args(false);
  CLI::Option* isolate = command.add_flag("--isolate", options.isolate,
                                          "Drive every backend in a process of its own (default: those of plugins)");
  command
      .add_flag("--no-isolate", options.no_isolate,
                "Drive every backend in this process, which a bad one can then end or damage")
      ->excludes(isolate);
  command
      .add_option("--time-limit", options.time_limit,
                  fmt::format("How long an isolated backend may take for one case (default: {})",
                              Isolation::default_time_limit.count() / 1000))
      ->type_name("SECONDS");
}

std::string shell_word(const std::string& text) {
  static constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

Result<double> parse_seconds(const char* option, const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !(value > 0) || value > most_seconds)
    return error("{}: \"{}\" is not a number of seconds above 0, up to {}", option, excerpt(text), most_seconds);
  return value;
}

Result<Backends> Backends::load(const BackendOptions& options) {
  Backends known;
  for (const std::string& spec : options.backends) {
    // Names between commas, as in --mode; options may have commas of their own.
    if (spec.find(':') != std::string::npos)
      known.specs_.push_back(spec);
    else
      for (const std::string_view name : split(spec, ',')) known.specs_.emplace_back(name);
  }
  if (!options.time_limit.empty()) known.time_limit_argument_ = " --time-limit " + shell_word(options.time_limit);
  known.isolate_plugins_ = !options.no_isolate;
  known.isolate_built_in_ = options.isolate;
  if (!options.time_limit.empty()) {
    const auto seconds = parse_seconds("--time-limit", options.time_limit);
    if (!seconds) return tl::unexpected(seconds.error());
    known.isolation_.time_limit = std::chrono::milliseconds(static_cast<long>(std::ceil(*seconds * 1000)));
  }
  if (options.isolate || (!options.plugins.empty() && !options.no_isolate))
    for (const emulator::StandIn stand_in : emulator::all_stand_ins)
      if (emulator::stand_in_is_installed(stand_in))
        return error(
            "--emulate {}: it does not reach the processes of isolated backends; leave --isolate out, or with "
            "a plugin say --no-isolate",
            emulator::name(stand_in));
  for (const std::string& file : options.plugins)
    if (const auto added = known.add_plugin(file); !added) return error("--plugin: {}", added.error().message);
  return known;
}

Result<void> Backends::add_plugin(const std::string& file) {
  if (std::ranges::any_of(plugins_, [&](const Plugin& plugin) { return plugin.file == file; })) return {};
  auto backends = isolate_plugins_ ? isolate_plugin(file, isolation_) : load_plugin(file);
  if (!backends) return tl::unexpected(backends.error());
  const auto both = oracles();
  const std::vector<const aesgate_backend*> judges(both.begin(), both.end());
  for (const aesgate_backend* backend : *backends) {
    if (const Plugin* other = plugin_of(backend->name))
      return error("{}: the name \"{}\" is one of {} too; run them one after the other", file, backend->name,
                   other->file);
    if (has(judges, backend->name)) return error("{}: the name \"{}\" is an oracle's", file, backend->name);
  }
  plugins_.push_back({file, std::move(*backends)});
  return {};
}

const Backends::Plugin* Backends::plugin_of(const std::string& spec) const {
  const auto found =
      std::ranges::find_if(plugins_, [&](const Plugin& plugin) { return has(plugin.backends, name_in(spec)); });
  return found == plugins_.end() ? nullptr : &*found;
}

Result<const aesgate_backend*> Backends::built_in(const std::string& spec) const {
  return isolate_built_in_ ? isolate_built_in(spec, isolation_) : find_backend(spec);
}

Result<const aesgate_backend*> Backends::find(const std::string& spec) const {
  if (const Plugin* plugin = plugin_of(spec)) return find_backend(spec, plugin->backends);
  auto found = built_in(spec);
  if (found || plugins_.empty() || has(built_in_backends(), name_in(spec))) return found;
  std::vector<const char*> known;
  for (const Plugin& plugin : plugins_)
    for (const aesgate_backend* backend : plugin.backends) known.push_back(backend->name);
  return error("{}; of plugins: {}", found.error().message, fmt::join(known, ", "));
}

Result<std::vector<const aesgate_backend*>> Backends::chosen() const {
  const auto chosen = chosen_with_sources();
  if (!chosen) return tl::unexpected(chosen.error());
  std::vector<const aesgate_backend*> backends;
  for (const ChosenBackend& one : *chosen) backends.push_back(one.backend);
  return backends;
}

Result<std::vector<ChosenBackend>> Backends::chosen_with_sources() const {
  std::vector<std::string> specs = specs_;
  for (const Plugin& plugin : plugins_) {
    const auto is_of_plugin = [&](const std::string& spec) { return plugin_of(spec) == &plugin; };
    if (std::ranges::any_of(specs_, is_of_plugin)) continue;
    for (const aesgate_backend* backend : plugin.backends) specs.emplace_back(backend->name);
  }
  if (specs.empty())
    for (const aesgate_backend* backend : built_in_backends()) specs.emplace_back(backend->name);
  std::vector<const aesgate_backend*> backends;
  std::vector<ChosenBackend> chosen;
  for (const std::string& spec : specs) {
    const auto backend = find(spec);
    if (!backend) return error("--backend: {}", backend.error().message);
    if (std::ranges::find(backends, *backend) != backends.end()) continue;
    if (has(backends, (*backend)->name))
      return error("--backend: two of the name \"{}\" in one run; run them one after the other", (*backend)->name);
    backends.push_back(*backend);
    const Plugin* plugin = plugin_of(spec);
    chosen.push_back({*backend, spec, plugin != nullptr ? plugin->file : std::string()});
  }
  return chosen;
}

Result<std::map<std::string, std::string>> Backends::replay_arguments() const {
  std::map<std::string, std::string> arguments;
  for (const Plugin& plugin : plugins_)
    for (const aesgate_backend* backend : plugin.backends)
      arguments[backend->name] = " --plugin " + shell_word(plugin.file);
  // A variant has another name than what finds it.
  for (const std::string& spec : specs_) {
    const auto backend = find(spec);
    if (!backend) return tl::unexpected(backend.error());
    if (spec == (*backend)->name) continue;
    const Plugin* plugin = plugin_of(spec);
    arguments[(*backend)->name] = (plugin != nullptr ? " --plugin " + shell_word(plugin->file) : std::string()) +
                                  " --backend " + shell_word(spec);
  }
  for (auto& [name, argument] : arguments) argument += time_limit_argument_;
  return arguments;
}

}  // namespace aesgate
