#include "cli/fault_speed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "core/driver.h"
#include "perf/pinned_thread.h"
#include "perf/sampler.h"

namespace aesgate {
namespace {

constexpr double too_slow = 1.25;
constexpr unsigned tries = 3;
constexpr SamplerOptions options{.seconds = 0.003, .seconds_per_sample = 10e-6};

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::cfb128, Mode::ofb})
    for (const Direction direction : all_directions)
      for (const std::size_t bytes : {std::size_t{16}, std::size_t{32}, std::size_t{16384}})
        for (const bool in_place : {false, true})
          all.push_back({{mode, direction, KeySize::bits128}, bytes, in_place, 1});
  return all;
}

/// The time of one call in the fastest sample, in the clock's units. What else runs on the machine only adds.
Result<double> fastest(const aesgate_backend& backend, const Workload& workload, Clock& clock) {
  const Sampling sampling = sample_updates(backend, workload, clock, nullptr, options);
  if (sampling.verdict != Verdict::agree) return error("{}: {}", backend.name, sampling.reason);
  double least = std::numeric_limits<double>::infinity();
  for (const Sample& sample : sampling.samples) least = std::min(least, sample.units);
  return least / static_cast<double>(sampling.calls_per_sample);
}

/// How many times as long as the twin's a call takes; of several tries the least.
Result<double> ratio(const aesgate_backend& backend, const aesgate_backend& twin, const Workload& workload,
                     Clock& clock) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned i = 0; i < tries && least >= too_slow; ++i) {
    const auto before = fastest(twin, workload, clock);
    const auto time = fastest(backend, workload, clock);
    const auto after = fastest(twin, workload, clock);
    for (const auto* one : {&before, &time, &after})
      if (!*one) return tl::unexpected(one->error());
    least = std::min(least, *time / std::max(*before, *after));
  }
  return least;
}

}  // namespace

Result<Seen> compare_with_twin(const aesgate_backend& backend, const aesgate_backend& twin) {
  const auto start = std::chrono::steady_clock::now();
  const auto slow = callable(backend);
  if (!slow) return tl::unexpected(slow.error());
  const auto good = callable(twin);
  if (!good) return tl::unexpected(good.error());
  const PinnedThread pinned;
  const std::unique_ptr<Clock> clock = best_clock();
  Seen seen;
  for (const Workload& workload : workloads()) {
    const auto times = ratio(**slow, **good, workload, *clock);
    if (!times) return tl::unexpected(times.error());
    ++seen.cases;
    seen.ran = true;
    if (*times < too_slow) continue;
    seen.caught = true;
    seen.first = fmt::format("{}, {} bytes{}: a call takes {:.2f} times as long as that of {}", name(workload.shape),
                             workload.bytes, workload.in_place ? " in place" : "", *times, (*good)->name);
    break;
  }
  seen.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return seen;
}

}  // namespace aesgate
