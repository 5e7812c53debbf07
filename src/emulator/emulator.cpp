#include "emulator/emulator.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "core/text_file.h"
#include "emulator/padlock.h"
#include "emulator/stand_in.h"

namespace aesgate::emulator {

namespace {

std::optional<StandIn> stand_in_named(std::string_view wanted) {
  for (const StandIn stand_in : all_stand_ins)
    if (name(stand_in) == wanted) return stand_in;
  return std::nullopt;
}

Result<void> check_name(std::string_view wanted) {
  if (wanted == "padlock" || stand_in_named(wanted)) return {};
  std::string known = "padlock";
  for (const StandIn stand_in : all_stand_ins) known += fmt::format(", {}", name(stand_in));
  return error("unknown emulator \"{}\"; known: {}", wanted, known);
}

/// The stand-in for the interface of a kernel that a backend uses, which its name, or that of the backend whose variant
/// it is, says.
std::optional<StandIn> stand_in_for(const aesgate_backend& backend) {
  if (std::string_view(backend.unit) != "kernel") return std::nullopt;
  const std::string_view name = backend.name;
  if (name == "cryptodev-bsd") return StandIn::cryptodev_bsd;
  if (name == "cryptodev") return StandIn::cryptodev;
  if (name.starts_with("af_alg")) return StandIn::af_alg;
  return std::nullopt;
}

}  // namespace

Result<void> install(std::string_view name) {
  if (const auto known = check_name(name); !known) return known;
  const auto stand_in = stand_in_named(name);
  return stand_in ? install_stand_in(*stand_in) : install_padlock();
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
  if (const auto stand_in = stand_in_for(backend)) return stand_ins_are_built() ? name(*stand_in) : "";
  return padlock_is_built && std::string_view(backend.unit) == "xcrypt" ? "padlock" : "";
}

bool is_emulated(const aesgate_backend& backend) {
  if (const auto stand_in = stand_in_for(backend)) return stand_in_is_installed(*stand_in);
  return !emulator_for(backend).empty() && padlock_is_installed();
}

std::uint64_t modelled_clocks() { return padlock_counters().modelled_clocks; }

std::string note_on(const aesgate_backend& backend) {
  if (!is_emulated(backend)) return {};
  if (stand_in_for(backend))
    return fmt::format("{}: emulated: a supervisor answered its system calls; no time of it is a kernel's",
                       backend.name);
  return fmt::format("{}: emulated: its {} instructions ran in software; no time of it is the unit's", backend.name,
                     backend.unit);
}

}  // namespace aesgate::emulator
