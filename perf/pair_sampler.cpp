#include "perf/pair_sampler.h"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "perf/statistics.h"

namespace aesgate {
namespace {

/// The least that a run took of several: nothing else was in it.
constexpr int attempts = 5;

/// The longest sample of a candidate, in samples of the baseline.
constexpr double most_times_longer = 3;

/// One of the two, and whose it is.
struct Side {
  const char* whose;
  UpdateLoop loop;
};

/// A run of pairs over two loops.
class PairRun {
 public:
  PairRun(const aesgate_backend& baseline, const aesgate_backend& candidate, const Workload& workload, Clock& clock,
          Calibration* calibration, const PairOptions& options)
      : data_(workload),
        baseline_{"baseline", UpdateLoop(baseline, data_)},
        candidate_{"candidate", UpdateLoop(candidate, data_)},
        clock_(clock),
        calibration_(calibration),
        options_(options) {}

  Pairing run() {
    for (Side* side : {&baseline_, &candidate_})
      if (!side->loop.start()) return failed(*side);
    pairing_.calls_per_sample = choose_calls(baseline_.loop, clock_, options_.seconds_per_sample);
    if (pairing_.calls_per_sample == 0) return failed(baseline_);
    if (!shorten_for_slow_candidate()) return std::move(pairing_);
    const auto each = shortest(baseline_);
    if (!each) return failed(baseline_);
    const auto other = shortest(candidate_);  // warms it up, too
    if (!other) return failed(candidate_);
    plant(*each);
    const double seconds = (*each + *other) * clock_.description().nanoseconds_per_unit * 1e-9;
    const double affordable = options_.most_seconds / std::max(seconds, 1e-9);
    const auto most = static_cast<std::size_t>(std::clamp(affordable, 1.0, static_cast<double>(options_.pairs)));
    for (const bool candidate_first : orders(std::max(most, least_pairs)))
      if (!take_pair(candidate_first)) return std::move(pairing_);
    return std::move(pairing_);
  }

 private:
  bool has_failed(const Side& side) {
    pairing_.verdict = side.loop.verdict();
    pairing_.reason = fmt::format("{}: {}", side.whose, side.loop.reason());
    return false;
  }
  Pairing failed(const Side& side) {
    has_failed(side);
    return std::move(pairing_);
  }

  /// A candidate that is many times slower shows in less: else each of its samples took as many times longer.
  bool shorten_for_slow_candidate() {
    double before = 0;
    double after = 0;
    if (!baseline_.loop.run(pairing_.calls_per_sample, clock_, before)) return has_failed(baseline_);
    // Of a few calls, which may be all that a sample can have. The first of them warms it up.
    const std::size_t few = std::max<std::size_t>(1, pairing_.calls_per_sample / 64);
    for (int i = 0; i < 2; ++i)
      if (!candidate_.loop.run(few, clock_, after)) return has_failed(candidate_);
    after *= static_cast<double>(pairing_.calls_per_sample) / static_cast<double>(few);
    const double longest = most_times_longer * std::max(before, 1.0);
    if (after > longest)
      pairing_.calls_per_sample = std::max<std::size_t>(
          1, static_cast<std::size_t>(static_cast<double>(pairing_.calls_per_sample) * longest / after));
    return true;
  }

  std::optional<double> shortest(Side& side) {
    double least = std::numeric_limits<double>::infinity();
    double units = 0;
    for (int i = 0; i < attempts; ++i) {
      if (!side.loop.run(pairing_.calls_per_sample, clock_, units)) return std::nullopt;
      least = std::min(least, units);
    }
    return least;
  }

  /// How many steps of the spin take the planted part of a sample's time.
  void plant(double sample_units) {
    if (options_.planted <= 0) return;
    constexpr std::uint64_t steps = 50'000;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < attempts; ++i) {
      const std::uint64_t from = clock_.start();
      spin(steps);
      least = std::min(least, static_cast<double>(clock_.stop() - from) - clock_.description().overhead);
    }
    if (!(least > 0)) return;  // a clock that does not see it
    steps_ = static_cast<std::uint64_t>(options_.planted * sample_units / (least / static_cast<double>(steps)));
  }

  /// As often one way round as the other, in an order that is drawn.
  [[nodiscard]] std::vector<bool> orders(std::size_t count) const {
    std::vector<bool> orders(count);
    for (std::size_t i = 0; i < count; ++i) orders[i] = i % 2 == 1;
    std::shuffle(orders.begin(), orders.end(), std::mt19937_64(options_.seed));
    return orders;
  }

  bool take_pair(bool candidate_first) {
    const Reading before = last_ ? *last_ : read();
    const long switches = context_switches();
    data_.renew_input();
    Pair pair;
    const std::pair baseline{&baseline_, &pair.baseline};
    const std::pair candidate{&candidate_, &pair.candidate};
    for (const auto& [side, units] :
         candidate_first ? std::array{candidate, baseline} : std::array{baseline, candidate}) {
      if (!run_one(*side, *units)) return has_failed(*side);
    }
    pair.kept_its_cpu = context_switches() == switches;
    last_ = read();
    if (calibration_ != nullptr && pair.kept_its_cpu) pair.calibrated = calibration_->between(before, *last_);
    pairing_.pairs.push_back(pair);
    return true;
  }

  /// A few calls before those that count, for the reason in sampler.cpp.
  bool run_one(Side& side, double& units) {
    const std::size_t warm_calls = std::min<std::size_t>(pairing_.calls_per_sample / 4, 64);
    if (warm_calls != 0 && !side.loop.run(warm_calls, clock_, units)) return false;
    return side.loop.run(pairing_.calls_per_sample, clock_, units, &side == &candidate_ ? steps_ : 0);
  }

  [[nodiscard]] Reading read() { return calibration_ != nullptr ? calibration_->read() : Reading{}; }

  CallData data_;
  Side baseline_, candidate_;
  Clock& clock_;
  Calibration* calibration_;
  const PairOptions options_;
  std::uint64_t steps_ = 0;
  std::optional<Reading> last_;  // ends one pair's bracket and begins the next one's
  Pairing pairing_;
};

}  // namespace

Pairing sample_pairs(const aesgate_backend& baseline, const aesgate_backend& candidate, const Workload& workload,
                     Clock& clock, Calibration* calibration, const PairOptions& options) {
  return PairRun(baseline, candidate, workload, clock, calibration, options).run();
}

PairSummary summarise(const Pairing& pairing) {
  PairSummary summary;
  summary.taken = pairing.pairs.size();
  for (const Pair& pair : pairing.pairs) summary.calibrated += pair.calibrated.has_value();
  const bool only_calibrated = summary.calibrated >= least_pairs && summary.calibrated * 2 >= summary.taken;
  std::vector<double> changes, units, cycles;
  for (const Pair& pair : pairing.pairs) {
    if (!pair.kept_its_cpu || (only_calibrated && !pair.calibrated) || !(pair.baseline > 0)) continue;
    changes.push_back(pair.candidate / pair.baseline - 1);
    units.push_back(pair.baseline / static_cast<double>(pairing.calls_per_sample));
    if (only_calibrated) cycles.push_back(units.back() / pair.calibrated->units_per_cycle);
  }
  summary.used = changes.size();
  if (summary.used < least_pairs) return summary;
  summary.change = median(std::move(changes));
  summary.baseline_units = median(std::move(units));
  if (only_calibrated) summary.baseline_cycles = median(std::move(cycles));
  return summary;
}

}  // namespace aesgate
