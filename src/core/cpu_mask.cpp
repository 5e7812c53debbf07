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

/// Sets a variable; says if it had another value.
bool change(const Variable& variable) {
  const char* before = std::getenv(variable.name);
  if (before != nullptr && before == variable.value) return false;
  setenv(variable.name, variable.value.c_str(), 1);
  return true;
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

Result<void> start_with_cpu_mask(char* const* argv, std::string_view text) {
  const char* variable = std::getenv(cpu_mask_variable);
  const bool given = !text.empty();
  if (!given && variable == nullptr) return {};
  const auto mask = CpuMask::parse(given ? text : variable);
  if (!mask) return error("{}: {}", given ? "--cpu-mask" : cpu_mask_variable, mask.error().message);
  bool changed = false;
  // Every one of them: || would stop at the first.
  if (given) changed |= change({cpu_mask_variable, mask->text()});
  for (const Variable& of_library : variables_of_libraries(*mask)) changed |= change(of_library);
  if (!changed) return {};
  // Once: the values depend on nothing but the mask and the CPU, so next time there is nothing to change.
  execv("/proc/self/exe", argv);
  return error("--cpu-mask: the program cannot start itself again, which libraries need to be told: /proc/self/exe: {}",
               std::strerror(errno));
}

}  // namespace aesgate
