#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aesgate {

/// Surroundings: what the system says of the things that bend a measurement. Whatever it does not say is empty.
struct Surroundings {
  std::string governor;         // of the CPU that is timed: "performance"
  std::optional<bool> turbo;    // may the frequency go above the nominal one?
  std::optional<bool> smt;      // are there CPUs that share a core?
  std::string siblings;         // the CPUs on the core of the one that is timed: "0-1"
  std::optional<double> load;   // processes that ran or waited to, over the minute before
  std::optional<double> steal;  // the part of all CPUs' time that a hypervisor gave to others during the run, 0 to 1
};

/// Of `cpu`, from what lies in /proc and /sys below `root`; `steal` stays empty.
[[nodiscard]] Surroundings read_surroundings(int cpu, const std::filesystem::path& root = "/");

/// CpuTimes: since the machine started, of all its CPUs together.
struct CpuTimes {
  double all = 0, steal = 0;
};
/// Nothing where the system does not say.
[[nodiscard]] std::optional<CpuTimes> read_cpu_times(const std::filesystem::path& root = "/");

/// The part of the time between two readings that was stolen; nothing if a reading is missing or no time went by.
[[nodiscard]] std::optional<double> stolen(const std::optional<CpuTimes>& before, const std::optional<CpuTimes>& after);

/// "governor performance, turbo on, SMT off, load 0.52, steal 0.0%", with "not known here" for what is not.
[[nodiscard]] std::string to_text(const Surroundings& surroundings);

/// What of it bends figures, and how: one sentence each.
[[nodiscard]] std::vector<std::string> what_bends(const Surroundings& surroundings);

}  // namespace aesgate
