#include "core/cpu_mask.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/cpu_mask_libraries.h"
#include "core/text_file.h"

namespace aesgate {
namespace {

/// What goes with a feature directly; parse() goes on from there.
std::span<const Feature> dependents(Feature feature) {
  using enum Feature;
  static constexpr Feature of_ssse3[] = {sse41};
  static constexpr Feature of_sse41[] = {aes, avx, gfni};
  static constexpr Feature of_aes[] = {vaes};
  static constexpr Feature of_avx[] = {avx2};
  static constexpr Feature of_avx2[] = {vaes, avx512};
  switch (feature) {
    case ssse3: return of_ssse3;
    case sse41: return of_sse41;
    case aes: return of_aes;
    case avx: return of_avx;
    case avx2: return of_avx2;
    default: return {};
  }
}

std::string known_features() {
  std::vector<const char*> names;
  for (const Feature feature : all_features) names.push_back(name(feature));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The mask that the libraries' variables stand for, for the processes that this one starts: these may have another.
constexpr const char* mask_in_effect = "AESGATE_CPU_MASK_IN_EFFECT";

/// Sets variables; says if one had another value.
bool change(const std::vector<Variable>& variables) {
  bool changed = false;
  for (const Variable& variable : variables) {
    const char* before = std::getenv(variable.name);
    if (before != nullptr && before == variable.value) continue;
    setenv(variable.name, variable.value.c_str(), 1);
    changed = true;
  }
  return changed;
}

const char* value_in(const std::vector<Variable>& variables, std::string_view name) {
  for (const Variable& variable : variables)
    if (name == variable.name) return variable.value.c_str();
  return nullptr;
}

/// Takes away what an earlier mask has set and this one does not; an Error for what neither has set.
Result<bool> make_room(const std::vector<Variable>& before, const std::vector<Variable>& now, const char* source) {
  bool changed = false;
  for (const char* name : {"OPENSSL_ia32cap", "BOTAN_CLEAR_CPUID", "NETTLE_FAT_OVERRIDE"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    const char* const ours = value_in(before, name);
    const char* const wanted = value_in(now, name);
    const bool is_ours = ours != nullptr && std::string_view(ours) == value;
    if (wanted != nullptr && !is_ours && std::string_view(wanted) != value)
      return error("{}: {} is \"{}\" already and would have to be {}; unset it, or hide features by it alone", source,
                   name, excerpt(value), wanted);
    if (wanted == nullptr && is_ours) {
      unsetenv(name);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<CpuMask> CpuMask::parse(std::string_view text) {
  CpuMask mask;
  std::vector<Feature> hidden;
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ',')) {
    if (word.empty()) continue;
    const auto* const feature =
        std::ranges::find(all_features, word, [](Feature f) { return std::string_view(name(f)); });
    if (feature == std::end(all_features))
      return error("unknown feature \"{}\"; known: {}", excerpt(word), known_features());
    hidden.push_back(*feature);
    words.push_back(word);
  }
  while (!hidden.empty()) {
    const Feature feature = hidden.back();
    hidden.pop_back();
    mask.hidden_.set(static_cast<std::size_t>(feature));
    const auto with_it = dependents(feature);
    hidden.insert(hidden.end(), with_it.begin(), with_it.end());
  }
  mask.text_ = fmt::format("{}", fmt::join(words, ","));
  return mask;
}

const CpuMask& cpu_mask() {
  static const CpuMask mask = [] {
    const char* text = std::getenv(cpu_mask_variable);
    return CpuMask::parse(text == nullptr ? "" : text).value_or(CpuMask());
  }();
  return mask;
}

Result<void> start_with_cpu_mask(char* const* argv, std::optional<std::string_view> text) {
  const char* variable = std::getenv(cpu_mask_variable);
  if (!text && variable == nullptr) return {};
  const char* const source = text ? "--cpu-mask" : cpu_mask_variable;
  const auto mask = CpuMask::parse(text ? *text : variable);
  if (!mask) return error("{}: {}", source, mask.error().message);
  const char* const in_effect = std::getenv(mask_in_effect);
  const CpuMask before = CpuMask::parse(in_effect == nullptr ? "" : in_effect).value_or(CpuMask());
  const std::vector<Variable> wanted = variables_of_libraries(*mask);
  const auto made_room = make_room(variables_of_libraries(before), wanted, source);
  if (!made_room) return tl::unexpected(made_room.error());
  bool changed = *made_room;
  if (text) changed |= change({{cpu_mask_variable, mask->text()}});
  changed |= change(wanted);
  if (!wanted.empty() || in_effect != nullptr) changed |= change({{mask_in_effect, mask->text()}});
  if (!changed) return {};
  // Once: the values depend on nothing but the mask and the CPU, so next time there is nothing to change.
  execv("/proc/self/exe", argv);
  return error("--cpu-mask: the program cannot start itself again, which libraries need to be told: /proc/self/exe: {}",
               std::strerror(errno));
}

}  // namespace aesgate
