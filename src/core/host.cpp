#include "core/host.h"

#include <fstream>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include "core/cpu.h"

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

}  // namespace aesgate
