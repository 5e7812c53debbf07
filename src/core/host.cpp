#include "core/host.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/utsname.h>

#include "core/cpu.h"
#include "core/text_file.h"

namespace aesgate {
namespace {

std::string cpu_name(const std::string& architecture) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return architecture;
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

}  // namespace

Host describe_host() {
  Host host;
  utsname system{};
  uname(&system);
  host.architecture = system.machine;
  host.system = fmt::format("{} {}", system.sysname, system.release);
  host.cpu = cpu_name(host.architecture);
#if defined(__clang__)
  host.compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  host.compiler = fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  host.cpus = usable_cpus();
  for (const Feature feature : all_features)
    if (has(feature)) host.features += (host.features.empty() ? "" : " ") + std::string(name(feature));
  return host;
}

Result<void> check_cpu_environment() {
  const char* list = std::getenv("AESGATE_WITHOUT");
  if (list == nullptr) return {};
  std::vector<std::string_view> known;
  for (const Feature feature : all_features) known.emplace_back(name(feature));
  for (const std::string_view word : split(list, ','))
    if (!word.empty() && std::ranges::find(known, word) == known.end())
      return error("AESGATE_WITHOUT: unknown feature \"{}\"; known: {}", excerpt(word), fmt::join(known, ", "));
  return {};
}

}  // namespace aesgate
