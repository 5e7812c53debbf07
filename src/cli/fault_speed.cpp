#include "cli/fault_speed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "core/driver.h"
#include "perf/pair_sampler.h"
#include "perf/pinned_thread.h"

namespace aesgate {
namespace {

constexpr double too_slow = 1.25;
constexpr unsigned tries = 3;
constexpr PairOptions options{.pairs = 31, .seconds_per_sample = 10e-6, .most_seconds = 0.005};

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::cfb128, Mode::ofb})
    for (const Direction direction : all_directions)
      for (const std::size_t bytes : {std::size_t{16}, std::size_t{32}, std::size_t{16384}})
        for (const bool in_place : {false, true})
          all.push_back({{mode, direction, KeySize::bits128}, bytes, in_place, 1});
  return all;
}

/// How many times as long as the twin's a call takes; of several tries the least. A try in which most pairs lost their
/// CPU says nothing.
Result<double> ratio(const aesgate_backend& backend, const aesgate_backend& twin, const Workload& workload,
                     Clock& clock) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned i = 0; i < tries && least >= too_slow; ++i) {
    const Pairing pairing = sample_pairs(twin, backend, workload, clock, nullptr, options);
    if (pairing.verdict != Verdict::agree)
      return error("{} (candidate) against {} (baseline): {}", backend.name, twin.name, pairing.reason);
    least = std::min(least, 1 + summarise(pairing).change.value_or(0));
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
