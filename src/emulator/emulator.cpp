#include "emulator/emulator.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "core/text_file.h"
#include "emulator/padlock.h"

namespace aesgate::emulator {

namespace {

Result<void> check_name(std::string_view name) {
  if (name == "padlock") return {};
  return error("unknown emulator \"{}\"; known: padlock", name);
}

}  // namespace

Result<void> install(std::string_view name) {
  if (const auto known = check_name(name); !known) return known;
  return install_padlock();
}

Result<std::vector<std::string>> named_in_environment() {
  const char* value = std::getenv("AESGATE_EMULATE");
  std::string names = value != nullptr ? value : "";
  std::ranges::replace(names, ' ', ',');
  std::vector<std::string> wanted;
  for (const std::string_view name : split(names, ',')) {
    if (name.empty()) continue;
    if (const auto known = check_name(name); !known) return error("AESGATE_EMULATE: {}", known.error().message);
    wanted.emplace_back(name);
  }
  return wanted;
}

Result<void> install_from_environment() {
  const auto names = named_in_environment();
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names)
    if (const auto installed = install(name); !installed)
      return error("AESGATE_EMULATE: {}", installed.error().message);
  return {};
}

std::string_view emulator_for(const aesgate_backend& backend) {
  return padlock_is_built && std::string_view(backend.unit) == "xcrypt" ? "padlock" : "";
}

bool is_emulated(const aesgate_backend& backend) { return !emulator_for(backend).empty() && padlock_is_installed(); }

std::uint64_t modelled_clocks() { return padlock_counters().modelled_clocks; }

std::string note_on(const aesgate_backend& backend) {
  if (!is_emulated(backend)) return {};
  return fmt::format("{}: emulated: its {} instructions ran in software; no time of it is the unit's", backend.name,
                     backend.unit);
}

}  // namespace aesgate::emulator
