#include "perf/sampler.h"

#include <algorithm>
#include <chrono>

#include <time.h>

#include "perf/stack_place.h"

namespace aesgate {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point from) {
  return std::chrono::duration<double>(steady_clock::now() - from).count();
}

/// Of this thread, in user mode and in the kernel.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The calls by the wall clock, for a tenth of a second at the most; nothing if one failed. Apart from the samples,
/// since asking for a thread's CPU time takes about a microsecond.
std::optional<Elapsed> measure_elapsed(UpdateLoop& loop, const CallData& data, Clock& clock, std::size_t calls,
                                       double seconds) {
  double bytes = 0;
  double unused = 0;
  const double cpu = cpu_seconds();
  const auto from = steady_clock::now();
  do {
    if (!loop.run(calls, clock, unused)) return std::nullopt;
    bytes += static_cast<double>(calls) * static_cast<double>(data.workload().bytes);
  } while (seconds_since(from) < std::min(seconds, 0.1));
  const double wall = seconds_since(from);
  return Elapsed{1e9 * wall / bytes, (cpu_seconds() - cpu) / wall};
}

/// Beside nothing that a small context or a buffer of less than a KiB has (update_loop.cpp).
constexpr std::size_t stack_offset = 1024;

Sampling sample_here(const aesgate_backend& backend, const Workload& workload, Clock& clock, Calibration* calibration,
                     const SamplerOptions& options) {
  Sampling result;
  CallData data(workload);
  UpdateLoop loop(backend, data);
  const auto failed = [&] {
    result.verdict = loop.verdict();
    result.reason = loop.reason();
    return result;
  };
  if (!loop.start()) return failed();

  // A clock with a coarse step: so long that a step is a thousandth.
  const ClockDescription& described = clock.description();
  const double sample_seconds =
      std::max(options.seconds_per_sample, 1000 * described.step * described.nanoseconds_per_unit * 1e-9);

  // A tenth of the time to warm up: the frequency that the instructions get, caches, predictors.
  const auto warm_from = steady_clock::now();
  double units = 0;
  do {
    result.calls_per_sample =
        options.calls_per_sample != 0 ? options.calls_per_sample : choose_calls(loop, clock, sample_seconds);
    if (result.calls_per_sample == 0) return failed();
    if (options.calls_per_sample != 0 && !loop.run(result.calls_per_sample, clock, units)) return failed();
  } while (seconds_since(warm_from) < options.seconds / 10);

  // A reading ends one sample's bracket and begins the next one's.
  Reading before = calibration != nullptr ? calibration->read() : Reading{};
  const auto from = steady_clock::now();
  while (result.samples.size() < options.least_samples || seconds_since(from) < options.seconds) {
    const long switches = context_switches();
    data.renew_input();
    // After the chains, the filler and a system call, code, registers and branch predictors are cold. They have to be
    // the same in every sample: with one call here, or a system call after it, calls of one block took 7 or 12 cycles
    // on Zen 5, by what came before.
    const std::size_t warm_calls = std::min<std::size_t>(result.calls_per_sample / 4, 64);
    if (warm_calls != 0 && !loop.run(warm_calls, clock, units)) return failed();
    if (!loop.run(result.calls_per_sample, clock, units)) return failed();
    const bool kept_its_cpu = context_switches() == switches;
    Sample sample;
    sample.units = units;
    if (calibration != nullptr) {
      const Reading after = calibration->read();
      if (kept_its_cpu) sample.calibrated = calibration->between(before, after);
      before = after;
    }
    result.samples.push_back(sample);
  }
  if (options.elapsed_seconds > 0) {
    result.elapsed = measure_elapsed(loop, data, clock, result.calls_per_sample, options.elapsed_seconds);
    if (!result.elapsed) return failed();
  }
  return result;
}

}  // namespace

Sampling sample_calls(const aesgate_backend& backend, const Workload& workload, Clock& clock, Calibration* calibration,
                      const SamplerOptions& options) {
  Sampling result;
  at_stack_offset(stack_offset, [&] { result = sample_here(backend, workload, clock, calibration, options); });
  return result;
}

}  // namespace aesgate
