#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "abi/aesgate_backend.h"
#include "core/result.h"
#include "isolation/isolated.h"

namespace aesgate {

/// What the commands about backends are asked: which ones, and how they are driven.
struct BackendOptions {
  std::vector<std::string> backends, plugins;
  bool isolate = false, no_isolate = false;
  std::string time_limit;
};
void add_backend_options(CLI::App& command, BackendOptions& options);

/// ChosenBackend: one of a run, and how another process of this program finds it.
struct ChosenBackend {
  const aesgate_backend* backend;
  std::string spec;    // "NAME" or "NAME:OPTIONS"
  std::string plugin;  // the file, or empty: built in
};

/// Backends: those that the command line makes known: of its plugins, and built in.
class Backends {
 public:
  /// Loads the plugins. Each is isolated unless --no-isolate says otherwise; what is built in only with --isolate.
  [[nodiscard]] static Result<Backends> load(const BackendOptions& options);

  /// For "NAME" or "NAME:OPTIONS"; a plugin's comes before one built in.
  [[nodiscard]] Result<const aesgate_backend*> find(const std::string& spec) const;

  /// Those of the run: the named ones, and all of each plugin of which none is named; if nothing is named, all built
  /// in.
  [[nodiscard]] Result<std::vector<const aesgate_backend*>> chosen() const;
  [[nodiscard]] Result<std::vector<ChosenBackend>> chosen_with_sources() const;

  /// What `aesgate replay FILE` has to be told about `backends`, by name, for those that it does not find by the name
  /// in the file: " --plugin ./libmine.so".
  [[nodiscard]] Result<std::map<std::string, std::string>> replay_arguments() const;

 private:
  struct Plugin {
    std::string file;
    std::vector<const aesgate_backend*> backends;
  };

  Backends() = default;
  Result<void> add_plugin(const std::string& file);
  [[nodiscard]] const Plugin* plugin_of(const std::string& spec) const;
  [[nodiscard]] Result<const aesgate_backend*> built_in(const std::string& spec) const;

  std::vector<std::string> specs_;
  std::vector<Plugin> plugins_;
  Isolation isolation_;
  std::string time_limit_argument_;  // for a replay
  bool isolate_plugins_ = true, isolate_built_in_ = false;
};

/// `text` as a word of a shell's command line, quoted where it has to be.
[[nodiscard]] std::string shell_word(const std::string& text);

/// A number of seconds above 0, up to an hour; an Error names the option.
[[nodiscard]] Result<double> parse_seconds(const char* option, const std::string& text);

}  // namespace aesgate
