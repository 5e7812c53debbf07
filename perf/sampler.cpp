#include "perf/sampler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/bytes.h"
#include "core/secret.h"
#include "core/session.h"
#include "core/trap.h"

namespace aesgate {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point from) {
  return std::chrono::duration<double>(steady_clock::now() - from).count();
}

/// SplitMix64: fills 16 KiB in 2 µs, as it must between two samples. What it is good for is that no two
/// inputs are alike.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : state_(seed) {}

  void fill(std::span<std::uint8_t> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
      z = (z ^ z >> 27) * 0x94d049bb133111ebu;
      z ^= z >> 31;
      std::memcpy(&bytes[i], &z, std::min(sizeof z, bytes.size() - i));
    }
  }

 private:
  std::uint64_t state_;
};

/// Memory that begins on a cache line and a page, so that every run lies alike.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size) : size_(size), memory_(new (page) std::uint8_t[size]) {}
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {memory_.get(), size_}; }

 private:
  static constexpr auto page = std::align_val_t{4096};
  struct Release {
    void operator()(std::uint8_t* memory) const { ::operator delete[](memory, page); }
  };
  std::size_t size_;
  std::unique_ptr<std::uint8_t, Release> memory_;
};

/// The session, its buffers, and the loop that is timed.
class UpdateLoop {
 public:
  UpdateLoop(const aesgate_backend& backend, const Workload& workload)
      : session_(backend, workload.shape),
        key_(workload.shape.key_size),
        filler_(workload.seed),
        input_(workload.bytes),
        output_(workload.in_place ? 0 : workload.bytes),
        units_(workload.bytes * 8 / unit_bits(workload.shape.mode)) {
    filler_.fill(input_.bytes());
    target_ = workload.in_place ? input_.bytes().data() : output_.bytes().data();
    std::ranges::fill(output_.bytes(), std::uint8_t{0});  // its pages are there before the first sample
    filler_.fill(key_.bytes());
    filler_.fill(iv_);
  }

  [[nodiscard]] bool start() {
    auto call = [&] { status_ = session_.start(key_.bytes().data(), iv_.data()); };
    return came_back(call, "start()");
  }

  void renew_input() { filler_.fill(input_.bytes()); }

  /// `calls` calls, and the clock's units that they took, without its overhead.
  [[nodiscard]] bool run(std::size_t calls, Clock& clock, double& units) {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    const std::uint8_t* in = input_.bytes().data();
    auto call = [&] {
      from = clock.start();
      status_ = session_.repeat_update(in, target_, units_, calls);
      to = clock.stop();
    };
    if (!came_back(call, "update() while it was timed")) return false;
    units = static_cast<double>(to - from) - clock.description().overhead;
    return true;
  }

  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] Verdict verdict() const { return verdict_; }

 private:
  template <typename Call>
  bool came_back(Call& call, const char* what) {
    if (const auto crash = run_trapped(call)) {
      session_.abandon();
      verdict_ = Verdict::crashed;
      reason_ = fmt::format("{} in {}", name(*crash), what);
      return false;
    }
    if (status_ == Status::ok) return true;
    verdict_ = Verdict::failed;
    reason_ = fmt::format("{} said: {}", what, name(status_));
    return false;
  }

  Session session_;
  Key key_;
  Filler filler_;
  AlignedBytes input_, output_;
  std::uint8_t* target_ = nullptr;
  std::size_t units_;
  Block iv_{};
  Status status_ = Status::ok;
  Verdict verdict_ = Verdict::agree;
  std::string reason_;
};

/// How often another thread got this one's CPU. Between two readings that agree a sample may still hold
/// somebody else's time slice.
long context_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw + usage.ru_nvcsw;
}

/// The time of `calls` calls if it is less than `least_seconds`, else the shortest of three: in one of them
/// the thread may have waited for its CPU. Nothing if a call failed.
std::optional<double> shortest_run(UpdateLoop& loop, Clock& clock, std::size_t calls, double least_seconds) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3 && shortest >= least_seconds; ++i) {
    double units = 0;
    const auto from = steady_clock::now();
    if (!loop.run(calls, clock, units)) return std::nullopt;
    shortest = std::min(shortest, seconds_since(from));
  }
  return shortest;
}

/// How many calls make a sample: doubled until they last long enough, which warms the code up too. 0 if
/// a call failed.
std::size_t choose_calls(UpdateLoop& loop, Clock& clock, double least_seconds) {
  for (std::size_t calls = 1;; calls *= 2) {
    const auto seconds = shortest_run(loop, clock, calls, least_seconds);
    if (!seconds) return 0;
    if (*seconds < least_seconds) continue;
    // The last doubling may have been more than was needed; a tenth on top for a core that gets faster yet.
    const double needed = std::ceil(1.1 * least_seconds / *seconds * static_cast<double>(calls));
    return std::min(calls, static_cast<std::size_t>(needed));
  }
}

}  // namespace

Sampling sample_updates(const aesgate_backend& backend, const Workload& workload, Clock& clock,
                        Calibration* calibration, const SamplerOptions& options) {
  Sampling result;
  UpdateLoop loop(backend, workload);
  const auto failed = [&] {
    result.verdict = loop.verdict();
    result.reason = loop.reason();
    return result;
  };
  if (!loop.start()) return failed();

  // A tenth of the time to warm up: the frequency that the instructions get, caches, predictors.
  const auto warm_from = steady_clock::now();
  do {
    result.calls_per_sample = choose_calls(loop, clock, options.seconds_per_sample);
    if (result.calls_per_sample == 0) return failed();
  } while (seconds_since(warm_from) < options.seconds / 10);

  // A reading ends one sample's bracket and begins the next one's.
  Reading before = calibration != nullptr ? calibration->read() : Reading{};
  double units = 0;
  const auto from = steady_clock::now();
  while (result.samples.size() < options.least_samples || seconds_since(from) < options.seconds) {
    const long switches = context_switches();
    loop.renew_input();
    // After the chains, the filler and a system call, code, registers and branch predictors are cold. They have to be
    // the same in every sample: with one call here, or a system call after it, calls of one block took 7 or 12 cycles
    // on Zen 5, by what came before.
    const std::size_t warm_calls = std::min<std::size_t>(result.calls_per_sample / 4, 64);
    if (warm_calls != 0 && !loop.run(warm_calls, clock, units)) return failed();
    if (!loop.run(result.calls_per_sample, clock, units)) return failed();
    const bool kept_its_cpu = context_switches() == switches;
    Sample sample{units, {}};
    if (calibration != nullptr) {
      const Reading after = calibration->read();
      if (kept_its_cpu) sample.calibrated = calibration->between(before, after);
      before = after;
    }
    result.samples.push_back(sample);
  }
  return result;
}

}  // namespace aesgate
