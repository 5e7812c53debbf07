#include "perf/surroundings.h"

#include <array>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace aesgate {
namespace {

namespace fs = std::filesystem;

/// The first line of a file; empty if there is none.
std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<bool> flag(const fs::path& file) {
  const std::string text = first_line(file);
  if (text != "0" && text != "1") return std::nullopt;
  return text == "1";
}

/// Drivers of Intel's P-states say what is not allowed, the others what is.
std::optional<bool> turbo(const fs::path& cpus) {
  if (const auto forbidden = flag(cpus / "intel_pstate/no_turbo")) return !*forbidden;
  return flag(cpus / "cpufreq/boost");
}

std::string known(const std::optional<bool>& flag) { return !flag ? "not known here" : *flag ? "on" : "off"; }

}  // namespace

Surroundings read_surroundings(int cpu, const fs::path& root) {
  Surroundings surroundings;
  const fs::path cpus = root / "sys/devices/system/cpu";
  const fs::path mine = cpus / fmt::format("cpu{}", cpu);
  surroundings.governor = first_line(mine / "cpufreq/scaling_governor");
  surroundings.turbo = turbo(cpus);
  surroundings.smt = flag(cpus / "smt/active");
  surroundings.siblings = first_line(mine / "topology/thread_siblings_list");
  std::istringstream load(first_line(root / "proc/loadavg"));
  if (double minute = 0; load >> minute) surroundings.load = minute;
  return surroundings;
}

std::optional<CpuTimes> read_cpu_times(const fs::path& root) {
  // proc(5): user, nice, system, idle, iowait, irq, softirq, steal; what comes after is in user and nice already.
  std::istringstream line(first_line(root / "proc/stat"));
  std::string cpu;
  std::array<double, 8> times{};
  line >> cpu;
  for (double& time : times) line >> time;
  if (!line || cpu != "cpu") return std::nullopt;
  CpuTimes sum{0, times.back()};
  for (const double time : times) sum.all += time;
  return sum;
}

std::optional<double> stolen(const std::optional<CpuTimes>& before, const std::optional<CpuTimes>& after) {
  if (!before || !after || !(after->all > before->all)) return std::nullopt;
  return (after->steal - before->steal) / (after->all - before->all);
}

std::string to_text(const Surroundings& s) {
  std::string text = fmt::format("governor {}, turbo {}, SMT {}", s.governor.empty() ? "not known here" : s.governor,
                                 known(s.turbo), known(s.smt));
  text += s.load ? fmt::format(", load {:.2f}", *s.load) : ", load not known here";
  text += s.steal ? fmt::format(", steal {:.1f}%", 100 * *s.steal) : ", steal not known here";
  return text;
}

std::vector<std::string> what_bends(const Surroundings& s) {
  std::vector<std::string> bends;
  if (!s.governor.empty() && s.governor != "performance")
    bends.push_back(
        fmt::format("the governor \"{}\" changes the frequency: times are bent, cycles are not", s.governor));
  if (s.turbo.value_or(false))
    bends.emplace_back("turbo is on: the frequency depends on load and heat, so times are bent, cycles are not");
  if (s.smt.value_or(false))
    bends.push_back(fmt::format("the CPUs {} share a core: what runs on the others slows this one",
                                s.siblings.empty() ? "of a core" : s.siblings));
  if (s.load.value_or(0) > 1) bends.push_back(fmt::format("the machine was busy: {:.2f} processes at once", *s.load));
  if (s.steal.value_or(0) > 0.01)
    bends.push_back(fmt::format("the hypervisor gave {:.1f}% of the CPUs' time to others", 100 * *s.steal));
  return bends;
}

}  // namespace aesgate
