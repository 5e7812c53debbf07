#include "core/host.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/utsname.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "core/cpu.h"
#include "core/cpu_mask.h"

namespace aesgate {
namespace {

/// The name that the CPU itself has (Intel SDM volume 2, CPUID, leaves 0x80000002 to 4); under an emulator of CPUs the
/// one that it emulates, where /proc/cpuinfo is the host's.
std::string brand() {
#if defined(__x86_64__) || defined(__i386__)
  std::array<unsigned, 12> words{};
  for (unsigned i = 0; i < 3; ++i)
    if (__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]) == 0)
      return {};
  std::string text(reinterpret_cast<const char*>(words.data()), sizeof words);
  text.resize(std::min(text.find('\0'), text.size()));
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
#else
  return {};
#endif
}

std::string cpu_name(const std::string& architecture) {
  if (std::string name = brand(); !name.empty()) return name;
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
  host.cpu_mask = cpu_mask().text();
  return host;
}

std::string hidden_features(const Host& host) {
  return host.cpu_mask.empty() ? "" : fmt::format("hidden by --cpu-mask: {}\n", host.cpu_mask);
}

}  // namespace aesgate
