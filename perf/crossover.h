#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/host.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/shape.h"
#include "perf/statistics.h"
#include "report/record.h"

namespace aesgate {

/// RatioAtSize: how long calls of B took, against those of A right before or after, at one size.
struct RatioAtSize {
  std::size_t bytes = 0;
  std::vector<double> ratios;  // B / A, one for each pair
};

/// Crossover: from which size of call on B is faster than A.
struct Crossover {
  enum class Answer {
    from,    // of `bytes` on, or of somewhere within the interval
    always,  // at every size that was measured
    never,   // at none
    unclear  // at the largest size neither is surely faster, or they take the lead in turns
  };
  Answer answer = Answer::unclear;
  /// Where the times are equal, between two sizes that were measured; 0 and infinity as below.
  double bytes = 0;

  /// The 95% interval: 0 where it reaches below the smallest size, infinity where above the largest.
  double low = 0, high = 0;
};

/// Of sizes with a ratio or more each. Between sizes the logarithm of the ratio goes straight over the logarithm of the
/// size. The interval is a bootstrap: each size's median is drawn again, 400 times.
[[nodiscard]] Crossover find_crossover(std::vector<RatioAtSize> sizes);

/// CrossoverResult: one shape.
struct CrossoverResult {
  Shape shape;
  std::string reason;  // why it was not measured; empty if it was
  Verdict verdict = Verdict::agree;

  struct Size {
    std::size_t bytes = 0;
    Estimate ratio;            // B / A
    double nanoseconds_a = 0;  // a call of A
  };
  std::vector<Size> sizes;
  Crossover crossover;
};

struct CrossoverReport {
  Host host;
  std::string a, b;
  bool emulated = false;  // one of them is: its times are the emulator's
  std::vector<CrossoverResult> results;
};

/// 0: measured; 1: a backend was wrong; 3: nothing could be measured.
[[nodiscard]] int exit_status(const CrossoverReport& report);

struct CrossoverOptions {
  std::vector<std::size_t> sizes;  // empty: 16, 32, … 65536; as far as in perf in CFB8 and CFB1
  std::vector<Direction> directions{all_directions.begin(), all_directions.end()};
  std::vector<KeySize> key_sizes{KeySize::bits128};
  std::size_t pairs = 60;
};

/// The plan has two backends: A, then B. Every size is judged before it is timed, as in run_perf(); calls are timed in
/// pairs, whose order is drawn. An Error: bad input, or oracles that disagree.
[[nodiscard]] Result<CrossoverReport> run_crossover(const Plan& plan, const CrossoverOptions& options, Record& record);

/// For a person, with the line of OpenSSL's configuration where B is what its afalg engine uses.
[[nodiscard]] std::string to_text(const CrossoverReport& report);

}  // namespace aesgate
