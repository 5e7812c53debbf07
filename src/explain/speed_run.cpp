#include "explain/speed_run.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace aesgate::explain {

std::string_view name(Tool tool) {
  static constexpr std::array<std::string_view, 6> names{"openssl speed", "botan speed",          "bench-slope",
                                                         "kcapi-speed",   "cryptsetup benchmark", "aesgate perf"};
  return names[static_cast<std::size_t>(tool)];
}

std::string Place::text() const { return line == 0 ? file : fmt::format("{}:{}", file, line); }

int Invocation::major_version() const {
  int number = -1;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

std::optional<double> seconds_per_call(const SpeedRun& run, const Sample& sample) {
  // The rate of the table before calls and seconds: these are printed to the hundredth only.
  if (sample.bytes > 0 && sample.bytes_per_second > 0)
    return static_cast<double>(sample.bytes) * run.invocation.processes / sample.bytes_per_second;
  if (sample.calls > 0 && sample.seconds > 0) return sample.seconds / sample.calls;
  return std::nullopt;
}

std::optional<double> elapsed_per_call(const SpeedRun& run, const Sample& sample) {
  if (run.invocation.clock != Clock::elapsed && sample.planned_seconds > 0 && sample.calls > 0) {
    // A timer is late by a hundredth or so: where the CPU was had all the time, its time is the better figure.
    const bool all_of_it = sample.has_seconds && sample.seconds >= 0.9 * sample.planned_seconds;
    if (!all_of_it) return sample.planned_seconds / sample.calls;
  }
  return seconds_per_call(run, sample);
}

std::optional<double> cpu_share(const SpeedRun& run) {
  double used = 0, planned = 0;
  if (run.invocation.clock == Clock::cpu)
    for (const Sample& sample : run.samples)
      if (sample.has_seconds && sample.planned_seconds > 0) {
        used += sample.seconds;
        planned += sample.planned_seconds;
      }
  if (planned > 0) return std::min(1.0, used / planned);
  const Invocation& invocation = run.invocation;
  if (invocation.elapsed_seconds > 0)
    return (invocation.user_seconds + invocation.system_seconds) / invocation.elapsed_seconds;
  return std::nullopt;
}

double elapsed_rate(const SpeedRun& run, const Sample& sample) {
  const auto seconds = elapsed_per_call(run, sample);
  if (!seconds || sample.bytes == 0) return sample.bytes_per_second;
  return static_cast<double>(sample.bytes) * run.invocation.processes / *seconds;
}

const Sample* largest(const SpeedRun& run) { return run.samples.empty() ? nullptr : &run.samples.back(); }

}  // namespace aesgate::explain
